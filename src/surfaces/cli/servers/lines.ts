import type { EditReport } from "../../../operations/servers/desk.js";
import { shortenHome } from "../../../util/home-path.js";
import { count, dim, line, type Line, WARNING } from "../../../terminal/lines.js";

/** Follow-up lines of a change: a created file, servers that are no longer available, and how to undo the change. */
export function editLines({ file, isNew, lost }: Pick<EditReport, "file" | "isNew" | "lost">, home: string): Line[] {
  const text = `${shortenHome(file, home)} was created. It still uses the servers of all MCP clients (\`sources: all\`).`;
  return [...(isNew ? [line(2, dim(text))] : []), ...lostLines(lost), UNDO];
}

export function lostLines(lost: readonly string[]): Line[] {
  if (lost.length === 0) return [];
  return [line(2, WARNING, ` ${count(lost.length, "server")} no longer available: ${lost.join(", ")}`)];
}

export const UNDO = line(2, dim("Undo this with `anygpt mcp undo`."));
