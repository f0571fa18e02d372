/**
 * Wraps a command at `width` columns, between words. Every row but the last ends with a backslash, so that the rows can
 * be pasted into a shell.
 */
export function wrapCommand(command: string, width: number, indent: string): string {
  // A backslash after a shell comment would be part of the comment.
  if (command.length <= width || / #/.test(command)) return command;
  const words = command.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/gu) ?? [];
  const rows: string[] = [];
  let row = "";
  for (const [index, word] of words.entries()) {
    const isLast = index === words.length - 1;
    const margin = rows.length === 0 ? 0 : indent.length;
    const needed = margin + row.length + 1 + word.length + (isLast ? 0 : CONTINUED.length);
    if (row !== "" && needed > width) {
      rows.push(`${row}${CONTINUED}`);
      row = word;
    } else row = row === "" ? word : `${row} ${word}`;
  }
  return [...rows, row].join(`\n${indent}`);
}

const CONTINUED = " \\";
