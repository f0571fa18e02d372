// Markdown that the generated pages share.

export function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), `|${heads.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/** Joins paragraphs into a page that ends with one line feed. */
export function page(parts) {
  return `${parts.join("\n\n").trimEnd()}\n`;
}

/** Escapes angle brackets of placeholders such as `<name>` outside of code, which would be HTML. */
export function escapeHtml(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll(">", "&gt;")))
    .join("");
}
