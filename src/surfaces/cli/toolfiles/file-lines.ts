import type { EnvNeed, FileConnection, ToolFile } from "../../../toolfiles/format/tool-file.js";
import { shownCommand } from "../../../operations/toolfiles/file-page.js";
import { canonicalJson } from "../../../util/json/canonical.js";
import { bold, line, type Line } from "../../../terminal/lines.js";
import { revealedJson, revealedName } from "../../../terminal/reveal.js";

export interface ToolFileLine {
  readonly file: ToolFile;
  /** Shown after the version. */
  readonly remark?: string;
}

/** What the user reviews before trusting files: servers, commands, headers and variables. Files with the same connection are grouped. */
export function serverLines(listed: readonly ToolFileLine[]): Line[] {
  const groups = new Map<string, ToolFileLine[]>();
  for (const one of listed) {
    const { server, connection, needs } = one.file;
    const key = canonicalJson({ server, connection, needs });
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].flatMap(groupLines);
}

function groupLines(group: readonly ToolFileLine[]): Line[] {
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

/** `at ADDRESS`, or `starts COMMAND`. */
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
