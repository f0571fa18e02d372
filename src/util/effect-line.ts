import { commandLine } from "./command-line.js";

/** What a server's entry says, as far as whoever decides about it must see it. Of secrets only the names. */
export interface ServerEffect {
  readonly name: string;
  readonly command?: string | undefined;
  readonly args?: readonly string[];
  readonly url?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly envFile?: string | undefined;
  readonly cwd?: string | undefined;
  readonly inheritEnv?: readonly string[];
}

/** One line for the eyes of a person: what is started or spoken to, and everything that bends it. */
export function effectLine(server: ServerEffect): string {
  const { name, command, args = [], url, env = {}, headers = {}, envFile, cwd, inheritEnv = [] } = server;
  const what = command === undefined ? `speaks to ${url ?? "nothing"}` : `starts ${commandLine([command, ...args])}`;
  const texts = [command ?? "", ...args, url ?? "", ...Object.values(env), ...Object.values(headers), cwd ?? ""];
  const more = [
    ...(cwd === undefined ? [] : [`in ${commandLine([cwd])}`]),
    ...list("sets", Object.keys(env)),
    ...list("inherits from your environment", inheritEnv),
    ...list("sends the headers", Object.keys(headers)),
    ...list("is given your variables", variablesIn([...texts, envFile ?? ""])),
    ...(envFile === undefined ? [] : [`reads variables from ${commandLine([envFile])}`]),
  ];
  return `${name} ${what}${more.length === 0 ? "" : ` (${more.join("; ")})`}`;
}

function list(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what} ${names.map((name) => commandLine([name])).join(", ")}`];
}

function variablesIn(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(/(\$?)\$\{([A-Za-z_]\w*)/g)]);
  return [...new Set(found.flatMap(([, escape, name = ""]) => (escape === "" ? [name] : [])))];
}
