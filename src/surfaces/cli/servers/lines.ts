import type { EditReport } from "../../../operations/servers/desk.js";
import { shortenHome } from "../../../util/home-path.js";
import { count, dim, line, type Line, WARNING } from "../lines.js";

/** What a person should know after an edit: what it took away besides, and how to take it back. */
export function editLines({ file, isNew, lost }: Pick<EditReport, "file" | "isNew" | "lost">, home: string): Line[] {
  const shown = shortenHome(file, home);
  return [
    ...(isNew ? [line(2, dim(`${shown} is new. It keeps the servers of every MCP client (\`sources: all\`).`))] : []),
    ...(lost.length === 0
      ? []
      : [line(2, WARNING, ` ${count(lost.length, "server")} not available here any more: ${lost.join(", ")}`)]),
    line(2, dim("`anygpt mcp undo` takes it back.")),
  ];
}
