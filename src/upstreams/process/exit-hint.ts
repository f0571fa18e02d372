// Finds advice for the user in the standard error of an exited server, for known causes.
import { shellLine } from "../../util/command-line.js";

export interface ExitedServer {
  readonly server: string;
  readonly command: string;
  /** The server's arguments. Undefined if the entry has values that a generated command line would reveal or lose. */
  readonly args?: readonly string[] | undefined;
  readonly stderr: readonly string[];
  /** The environment variables that the process received. */
  readonly childEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** The environment variables of the gateway. */
  readonly gatewayEnv?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Returns advice for the user. Undefined if the cause is unknown. */
export function hintFor(ended: ExitedServer): string | undefined {
  return unknownPackage(ended) ?? missingVariables(ended);
}

/**
 * The error of npm 7 to 11 for an unknown package: "npm error 404 Not Found - GET
 * https://registry.example/@scope%2fname - Not found".
 */
const NOT_FOUND = /^npm (?:ERR!|error) 404\s+Not Found - GET \S*?\/((?:@[^/\s%]+(?:%2f|\/))?[^/\s]+?)(?:\s|$)/i;

function unknownPackage({ server, stderr }: ExitedServer): string | undefined {
  const [, written] = stderr.map((line) => NOT_FOUND.exec(line)).find((found) => found !== null) ?? [];
  if (written === undefined) return undefined;
  const name = written.replace(/%2f/i, "/");
  return `The npm registry has no package ${name}. Check its name with \`anygpt mcp find\`, or remove the entry with \`anygpt mcp remove ${shellLine([server])}\`.`;
}

const COMPLAINT =
  /required|missing|not set|must be set|must set|not defined|undefined|not provided|please (?:set|provide)|unset/i;
const VARIABLE = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
const NO_VARIABLE = /^(?:ERR|MODULE|NODE|E)_/;
const MAX_VARIABLES = 5;

function missingVariables({
  server,
  command,
  args,
  stderr,
  childEnv = {},
  gatewayEnv = {},
}: ExitedServer): string | undefined {
  const named = stderr.filter((line) => COMPLAINT.test(line)).flatMap((line) => line.match(VARIABLE) ?? []);
  const missing = [...new Set(named)].filter((name) => childEnv[name] === undefined && !NO_VARIABLE.test(name));
  const names = missing.slice(0, MAX_VARIABLES);
  if (names.length === 0) return undefined;
  const [them, are] = names.length === 1 ? ["it", "is"] : ["them", "are"];
  const unset = names.filter((name) => gatewayEnv[name] === undefined);
  const state =
    unset.length === 0
      ? `${names.join(", ")} ${are} set in the gateway's environment, but the gateway passes on only the variables that the entry lists.`
      : `${unset.join(", ")} ${unset.length === 1 ? "is" : "are"} not set in the gateway's environment: put ${unset.length === 1 ? "it" : "them"} into the environment or ~/.ai/.env. The gateway passes on only the variables that the entry lists.`;
  return `${state} Pass ${them} on: ${wayToPass(names, { server, command, args })}`;
}

function wayToPass(
  names: readonly string[],
  { server, command, args }: Pick<ExitedServer, "server" | "command" | "args">,
): string {
  if (args === undefined) {
    const entries = names.map((name) => `"${name}": "\${${name}}"`).join(", ");
    return `run \`anygpt mcp edit\` and add ${entries} to \`env\` of ${server}.`;
  }
  const env = names.flatMap((name) => ["--env", name]);
  return `\`${shellLine(["anygpt", "mcp", "add", server, "--replace", ...env, "--", command, ...args])}\`.`;
}
