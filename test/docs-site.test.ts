import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/gateway.js";
import { filesBelow } from "./support/markdown.js";

interface SitePage {
  readonly folder: string;
  readonly title: string;
  readonly summary: string;
  readonly link: string;
}

const load = async <Module>(name: string): Promise<Module> =>
  (await import(new URL(`../scripts/site/${name}.mjs`, import.meta.url).href)) as Module;
const { readPages, navigation } = await load<{
  readPages(docs: string): readonly SitePage[];
  navigation(pages: readonly SitePage[]): readonly { text: string; items: readonly { link: string }[] }[];
}>("pages");
const { llmsText } = await load<{
  llmsText(site: { title: string; description: string; pages: readonly SitePage[] }): string;
}>("llms");
const pages = readPages(join(ROOT, "docs"));

describe("the documentation site", () => {
  it("has every page of its parts in the navigation", () => {
    const files = ["start", "how-to", "reference", "explanation", "reports"].flatMap((folder) =>
      filesBelow(`docs/${folder}`),
    );
    const links = files.filter((path) => path.endsWith(".md")).map((path) => path.slice("docs".length, -".md".length));
    const shown = navigation(pages).flatMap(({ items }) => items.map(({ link }) => link));
    expect(shown.toSorted()).toEqual(links.toSorted());
  });

  it("gives every page a title and a sentence for llms.txt", () => {
    expect(pages.filter(({ title, summary }) => title === "" || !/^\S.*[.!?]$/.test(summary))).toEqual([]);
    const text = llmsText({ title: "anygpt", description: "A gateway.", pages });
    expect(text).toMatch(/^# anygpt\n\n> A gateway\.\n\n## Start\n\n- \[Tutorial/);
    expect(text.match(/^- \[/gm)).toHaveLength(pages.length - 1);
  });
});
