import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow, type Page, readMarkdownPages } from "./support/markdown.js";
import { ROOT } from "./support/gateway.js";

const { anchorsOf, withoutFences } = (await import(new URL("../scripts/docs/slug.mjs", import.meta.url).href)) as {
  anchorsOf(markdown: string): ReadonlySet<string>;
  withoutFences(markdown: string): string;
};
const pages = readMarkdownPages();

describe("the links of the documentation", () => {
  it("covers the README and the pages of docs/", () => {
    expect(pages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["README.md", "SECURITY.md", "docs/index.md", "docs/reference/commands.md"]),
    );
  });

  it.each(pages)("$path has no broken link and no broken anchor", (page) => {
    expect(linksOf(page).flatMap((link) => problemsOf(page, link))).toEqual([]);
  });

  it("finds a missing file, a missing anchor and a folder without a page", () => {
    const page = { path: "docs/index.md", text: "" };
    expect(problemsOf(page, "no-such-page.md")).toEqual(["no-such-page.md: no such file"]);
    expect(problemsOf(page, "../README.md#no-such-part")).toEqual(["../README.md#no-such-part: no such heading"]);
    expect(problemsOf(page, "../../outside.md")).toEqual(["../../outside.md: outside of the repository"]);
    expect(linksOf({ path: "", text: "[a](b.md) `[c](d.md)` ![e](f.svg)\n```\n[g](h.md)\n```\n" })).toEqual([
      "b.md",
      "f.svg",
    ]);
  });
});

describe("pages referenced by code and packaging", () => {
  const sources = ["src", "scripts", "packaging", "bench"].flatMap(filesBelow);
  const named = sources.flatMap((path) =>
    [...readFileSync(join(ROOT, path), "utf8").matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([target]) => ({
      path,
      target,
    })),
  );

  it("exist", () => {
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ target }) => !existsSync(join(ROOT, target)))).toEqual([]);
  });
});

/** Relative targets of links and images outside of code. */
function linksOf({ text }: Page): string[] {
  const prose = withoutFences(text).replaceAll(/`[^`\n]*`/g, "");
  const inMarkdown = [...prose.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)];
  const inHtml = [...prose.matchAll(/(?:src|href)="([^"]+)"/g)];
  return [...inMarkdown, ...inHtml]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target));
}

function problemsOf({ path, text }: Page, link: string): string[] {
  const [target = "", anchor] = link.split("#");
  const file = target === "" ? path : join(dirname(path), decodeURIComponent(target)).replaceAll("\\", "/");
  if (file.startsWith("..")) return [`${link}: outside of the repository`];
  if (!existsSync(join(ROOT, file))) return [`${link}: no such file`];
  if (anchor === undefined) return [];
  const isPage = file.endsWith(".md") && statSync(join(ROOT, file)).isFile();
  const markdown = isPage ? (file === path && text !== "" ? text : readFileSync(join(ROOT, file), "utf8")) : "";
  return anchorsOf(markdown).has(decodeURIComponent(anchor)) ? [] : [`${link}: no such heading`];
}
