import { commandLine } from "./command-line.js";
import { replaceSecrets } from "./plain-secrets.js";

/** The parts of a server's configuration entry that the user must see before approving the server. */
export interface ServerEffect {
  readonly name: string;
  readonly command?: string | undefined;
  readonly args?: readonly string[];
  readonly url?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: object | undefined;
  readonly envFile?: string | undefined;
  readonly cwd?: string | undefined;
  readonly inheritEnv?: readonly string[];
}

/**
 * Describes in one line which program a server starts or which URL it connects to, and everything that affects this.
 * Values that look like secrets are masked, even inside arguments and URLs; header values are never shown.
 */
export function effectLine(server: ServerEffect): string {
  const { name, env = {}, headers = {}, envFile, cwd, inheritEnv = [], oauth = {} } = server;
  const { command, args, url, shownEnv } = masked(server);
  const what = command === undefined ? `connects to ${url ?? "nothing"}` : `starts ${commandLine([command, ...args])}`;
  const texts = [
    server.command ?? "",
    ...(server.args ?? []),
    server.url ?? "",
    cwd ?? "",
    envFile ?? "",
    ...Object.values(env),
    ...Object.values(headers),
    ...Object.values(oauth)
      .flat()
      .filter((value): value is string => typeof value === "string"),
  ];
  const given = variablesIn(texts);
  const references = referencesIn(texts);
  const more = [
    ...(cwd === undefined ? [] : [`in ${commandLine([cwd])}`]),
    ...list("sets", shownEnv),
    ...list("inherits from your environment", inheritEnv),
    ...list("sends the headers", Object.keys(headers)),
    ...list(given.length === 1 ? "gets your variable" : "gets your variables", given),
    ...list("runs", references.programs),
    ...list("reads secrets from", references.secrets),
    ...(envFile === undefined ? [] : [`reads variables from ${commandLine([envFile])}`]),
  ];
  return `${name} ${what}${more.length === 0 ? "" : ` (${more.join("; ")})`}`;
}

const MASK = "***";

/** Environment variables whose value decides which code runs or where it is downloaded from. They are always shown. */
const CODE_AFFECTING =
  /^(?:PATH|NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|SHELL|(?:LD|DYLD|PYTHON|PERL5|RUBY|GIT|UV|PIP)_?[A-Z_]*|_?JAVA_\w*OPTIONS|npm_config_(?!_)\w+|https?_proxy|all_proxy)$/i;

interface Masked {
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly url: string | undefined;
  /**
   * `NAME=value` for each variable that is shown. A variable that only passes on its value from the user's environment
   * is omitted.
   */
  readonly shownEnv: readonly string[];
}

function masked({ name, command, args = [], url, env = {} }: ServerEffect): Masked {
  const stdio = replaceSecrets({ kind: "stdio", command: command ?? "", args: [...args], env }, name, () => MASK);
  const remote = replaceSecrets({ kind: "http", url: url ?? "", headers: {} }, name, () => MASK);
  const hidden = stdio.kind === "stdio" ? stdio.env : {};
  const values = Object.entries(env).filter(([variable, value]) => value !== `\${${variable}}`);
  return {
    command,
    args: stdio.kind === "stdio" ? stdio.args : [],
    url: url === undefined || remote.kind !== "http" ? undefined : remote.url,
    shownEnv: values.map(
      ([variable, value]) =>
        `${variable}=${isDecisive(variable) ? withoutPassword(value) : (hidden[variable] ?? MASK)}`,
    ),
  };
}

function isDecisive(variable: string): boolean {
  return CODE_AFFECTING.test(variable) && !/token|secret|passw|auth|key/i.test(variable);
}

function withoutPassword(value: string): string {
  return value.replace(/(:\/\/[^/\s:@]*:)[^/\s]*@/g, `$1${MASK}@`);
}

function list(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what} ${names.map((name) => commandLine([name])).join(", ")}`];
}

function variablesIn(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(/(\$?)\$\{([A-Za-z_]\w*)(?=\}|:-)/g)]);
  return [...new Set(found.flatMap(([, escape, name = ""]) => (escape === "" ? [name] : [])))];
}

const REFERENCE = /(\$?)\$\{((?:keychain:|op:\/\/|vault:|command:)(?:"[^"]*"|'[^']*'|[^"'}])*)\}/g;

function referencesIn(texts: readonly string[]) {
  const found = texts.flatMap((text) => [...text.matchAll(REFERENCE)]);
  const all = [...new Set(found.flatMap(([, escape, body = ""]) => (escape === "" ? [body] : [])))];
  const programs = all.flatMap((body) => (body.startsWith("command:") ? [body.slice("command:".length)] : []));
  return { programs, secrets: all.filter((body) => !body.startsWith("command:")) };
}
