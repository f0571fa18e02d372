// Markdown helpers for the generated sections.

export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

export function fenced(text) {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}

export const list = (found) =>
  Object.entries(found)
    .map(([key, value]) => `${key} ${value}`)
    .join(", ");

export const count = (number) => number.toLocaleString("en-US");

export const milliseconds = (ms) => (ms === null ? "" : String(Number(ms.toPrecision(3))));
