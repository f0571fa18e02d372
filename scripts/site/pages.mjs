import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withoutFences } from "../docs/slug.mjs";

/** The parts of the documentation, and the pages that come first in each. The other pages follow by title. */
export const PARTS = [
  { folder: "start", title: "Start", first: ["tutorial", "newcomer"] },
  {
    folder: "how-to",
    title: "How-to guides",
    first: ["clients", "managing-servers", "finding-servers", "environment-and-secrets", "approvals", "team-server"],
  },
  {
    folder: "reference",
    title: "Reference",
    first: ["command-line", "commands", "configuration", "errors", "library"],
  },
  {
    folder: "explanation",
    title: "Explanation",
    first: ["architecture", "search", "execution-model", "security-model"],
  },
  { folder: "reports", title: "Reports", first: [] },
];

/** The pages of the site, in the order of its navigation: title, first sentence and link of each. */
export function readPages(docs) {
  const home = readPage(docs, "", "index.md");
  const parts = PARTS.flatMap(({ folder, first }) => {
    const pages = markdownFiles(join(docs, folder)).map((file) => readPage(docs, folder, file));
    const placeOf = ({ name }) => (first.includes(name) ? first.indexOf(name) : first.length);
    return pages.sort((one, other) => placeOf(one) - placeOf(other) || one.title.localeCompare(other.title));
  });
  return [home, ...parts];
}

/** The sidebar of the site. */
export function navigation(pages) {
  return PARTS.map(({ folder, title }) => ({
    text: title,
    items: pages.filter((page) => page.folder === folder).map((page) => ({ text: page.title, link: page.link })),
  })).filter(({ items }) => items.length > 0);
}

function markdownFiles(folder) {
  return readdirSync(folder).filter((file) => file.endsWith(".md"));
}

function readPage(docs, folder, file) {
  const text = readFileSync(join(docs, folder, file), "utf8");
  const name = file.slice(0, -".md".length);
  const [, title = name] = /^# (.+)$/m.exec(text) ?? [];
  const link = folder === "" ? "/" : `/${folder}/${name}`;
  return { folder, name, title: plain(title), summary: firstSentence(text), link };
}

/** The first sentence of the first paragraph. */
function firstSentence(text) {
  const body = withoutFences(text).replaceAll(/<!--[\s\S]*?-->/g, "");
  const paragraph = body
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .find((part) => /^[\p{L}`*[]/u.test(part));
  const line = plain(paragraph ?? "").replaceAll(/\s+/g, " ");
  return (/^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line).replace(/:$/, ".");
}

function plain(markdown) {
  return markdown.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");
}
