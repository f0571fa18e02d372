import { PARTS } from "./pages.mjs";

/** llms.txt: one line with link and summary for each page. */
export function llmsText({ title, description, pages }) {
  const line = (page) => `- [${page.title}](${page.link}): ${page.summary}`;
  const sections = PARTS.flatMap(({ folder, title: heading }) => {
    const lines = pages.filter((page) => page.folder === folder).map(line);
    return lines.length === 0 ? [] : [`## ${heading}\n\n${lines.join("\n")}`];
  });
  return `${[`# ${title}`, `> ${description}`, ...sections].join("\n\n")}\n`;
}
