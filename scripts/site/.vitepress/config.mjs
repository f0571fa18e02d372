// The documentation as a web site: `npm run docs:site` writes it to dist-site/.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { slugOf } from "../../docs/slug.mjs";
import { llmsText } from "../llms.mjs";
import { outsideLinks } from "../outside-links.mjs";
import { navigation, PARTS, readPages } from "../pages.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const { description, repository } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const title = "anygpt";
const pages = readPages(join(ROOT, "docs"));

export default {
  title,
  description,
  srcDir: "../../docs",
  outDir: "../../dist-site",
  cacheDir: "../../node_modules/.cache/vitepress",
  cleanUrls: true,
  markdown: {
    anchor: { slugify: slugOf },
    config(markdown) {
      outsideLinks(markdown, { docs: join(ROOT, "docs"), root: ROOT, repository });
      literalCode(markdown);
    },
  },
  themeConfig: {
    search: { provider: "local" },
    nav: PARTS.slice(0, 4).map(({ folder, title: text }) => ({
      text,
      link: pages.find((page) => page.folder === folder)?.link ?? "/",
      activeMatch: `/${folder}/`,
    })),
    sidebar: navigation(pages),
    outline: [2, 3],
  },
  buildEnd({ outDir }) {
    writeFileSync(join(outDir, "llms.txt"), llmsText({ title, description, pages }));
  },
};

/** Keeps Vue from evaluating inline code such as `${{ secrets.X }}` as a template expression. */
function literalCode({ renderer: { rules } }) {
  const render = rules.code_inline;
  rules.code_inline = (tokens, index, ...rest) => {
    tokens[index].attrSet("v-pre", "");
    return render(tokens, index, ...rest);
  };
}
