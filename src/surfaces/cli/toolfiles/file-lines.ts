import type { EnvNeed, FileConnection, ToolFile } from "../../../toolfiles/format/tool-file.js";
import { groupByConnection, type RemarkedFile } from "../../../operations/toolfiles/group-files.js";
import { shownCommand } from "../../../operations/toolfiles/file-page.js";
import { bold, line, type Line } from "../../../terminal/lines.js";
import { revealedJson, revealedName } from "../../../terminal/reveal.js";
import { commandLine } from "../../../util/command-line.js";

/**
 * What the user reviews before trusting files: servers, commands, headers and variables. Files with the same connection
 * are grouped.
 */
export function serverLines(listed: readonly RemarkedFile[]): Line[] {
  return groupByConnection(listed).flatMap(groupLines);
}

function groupLines(group: readonly RemarkedFile[]): Line[] {
  const [first] = group;
  if (first === undefined) return [];
  const { server, connection, needs } = first.file;
  return [
    line(0, "Server ", bold(server), ` ${describeWay(connection)}`),
    ...sentLines(connection),
    ...needs.map(needLine),
    ...group.map(({ file, remark }) =>
      line(
        2,
        bold(file.toolId),
        ` ${file.version}: ${revealedName(file.tool.name)}${remark === undefined ? "" : ` (${remark})`}`,
      ),
    ),
  ];
}

/** How the server is reached: `at URL` or `starts COMMAND`. */
export function describeWay(connection: FileConnection): string {
  if (connection.kind !== "stdio") return `at ${revealedName(connection.url)}`;
  const { command, args, cwd } = connection;
  return `starts ${shownCommand([command, ...args])}${cwd === undefined ? "" : ` in ${revealedName(cwd)}`}`;
}

function sentLines(connection: FileConnection): Line[] {
  if (connection.kind === "stdio") {
    return Object.entries(connection.env).map(([name, value]) => line(2, `with ${name}=${revealedJson(value)}`));
  }
  return Object.entries(connection.headers).map(([name, value]) =>
    // A literal value may be a secret, so it is not shown.
    line(2, `sends ${name}: ${value.includes("${") ? revealedJson(value) : "a fixed value from the file"}`),
  );
}

function needLine({ name, description, required }: EnvNeed): Line {
  const what = description === "" ? "" : ` - ${revealedJson(description).slice(1, -1)}`;
  return line(2, `${required ? "needs" : "may use"} the variable ${name}${what}`);
}

const MOST_EXAMPLES = 4;

/** The command that runs the tool of a file, with its required parameters. */
export function runLine(toolId: string, file: ToolFile | undefined): string {
  const required = file?.tool.inputSchema["required"];
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const examples = names
    .filter((name) => /^[\w.-]{1,60}$/.test(name))
    .slice(0, MOST_EXAMPLES)
    .map((name) => `${name}=VALUE`);
  return commandLine(["anygpt", "mcp", "run", toolId, ...examples]);
}
