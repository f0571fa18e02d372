// Converts the options of a discovery into the connection and the variables of a tool file. It sends no requests.
import { parseDockerRun } from "../util/docker-command.js";
import { DiscoveryError } from "../errors.js";
import type { EnvNeed, FileConnection } from "../toolfiles/format/tool-file.js";
import { isServerName, SERVER_NAME_RULE } from "../toolfiles/ids/server-name.js";
import { BUILT_IN_SERVER } from "../model/built-in.js";
import { serverNameOfId } from "../toolfiles/ids/to-server-name.js";
import { type KnownAccess, knownHost, knownProgram } from "./known-servers.js";

export type ServerAddressParts =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "command"; readonly words: readonly string[] };

export interface DiscoveryTargetOptions {
  readonly address: ServerAddressParts;
  /** Name of the server. Default: derived from its URL or command. */
  readonly name?: string | undefined;
  readonly authHeader?: string | undefined;
  readonly authEnv?: string | undefined;
  /** Additional HTTP headers. Values may contain variables such as `${NAME}`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DiscoveryTarget {
  readonly name: string;
  readonly connection: FileConnection;
  readonly needs: readonly EnvNeed[];
  readonly known?: KnownAccess;
}

export function toTarget(options: DiscoveryTargetOptions): DiscoveryTarget {
  const { address } = options;
  const name = options.name ?? serverNameOfId(address.kind === "url" ? address.url : address.words);
  assertName(name);
  return address.kind === "url" ? toRemote(name, address.url, options) : toProgram(name, address.words, options);
}

function toRemote(name: string, url: string, options: DiscoveryTargetOptions): DiscoveryTarget {
  assertAddress(url);
  const known = knownHost(url);
  const credential = toCredential(name, options, known);
  const plain = Object.entries(options.headers ?? {});
  for (const [header] of plain) assertHeader(header);
  const more = plain.flatMap(([header, value]) => variablesIn(value).map((variable) => ({ variable, header })));
  const { header, variable } = credential ?? {};
  assertOnce([...plain.map(([one]) => one), ...(header === undefined ? [] : [header])]);
  const sent =
    header === undefined ? {} : { [header]: isBearer(header) ? `Bearer \${${variable}}` : `\${${variable}}` };
  return {
    name,
    connection: { kind: "http", url, headers: { ...Object.fromEntries(plain), ...sent } },
    needs: uniqueNeeds([
      ...(credential === undefined ? [] : [toNeed(name, credential, known)]),
      ...more.map((one) => toNeed(name, one)),
    ]),
    ...(known === undefined ? {} : { known }),
  };
}

function toProgram(name: string, words: readonly string[], options: DiscoveryTargetOptions): DiscoveryTarget {
  const [command, ...args] = words;
  if (command === undefined || command === "")
    throw invalid("The command is empty.", "Write the program and its arguments after --.");
  if (options.authHeader !== undefined || Object.keys(options.headers ?? {}).length > 0) {
    throw invalid(
      "Headers cannot be used with a command.",
      "Use --auth-env to name the environment variable that the program reads.",
    );
  }
  const stray = words.find((word) => word.includes("${"));
  if (stray !== undefined) {
    throw invalid(
      `The command contains a variable: ${stray}.`,
      "Use --auth-env to name the environment variable that the program reads.",
    );
  }
  const docker = parseDockerRun(words);
  if (docker?.isInteractive === false) {
    throw invalid(
      "`docker run` without -i closes the standard input of the server, which then ends.",
      "Add -i after `run`.",
    );
  }
  const known = knownProgram(words);
  const own = options.authEnv ?? known?.variable;
  const variables = [...new Set([...(own === undefined ? [] : [own]), ...(docker?.variables ?? [])])];
  for (const variable of variables) assertVariable(variable);
  return {
    name,
    connection: {
      kind: "stdio",
      command,
      args,
      env: Object.fromEntries(variables.map((variable) => [variable, `\${${variable}}`])),
    },
    needs: variables.map((variable) => toNeed(name, { variable }, known)),
    ...(known === undefined ? {} : { known }),
  };
}

interface Credential {
  readonly variable: string;
  readonly header?: string;
}

/**
 * Explicit options take precedence over the documented authentication of the server, which takes precedence over
 * defaults.
 */
function toCredential(
  name: string,
  { authHeader, authEnv }: DiscoveryTargetOptions,
  known: KnownAccess | undefined,
): (Credential & { readonly header: string }) | undefined {
  if (authHeader === undefined && authEnv === undefined && known?.variable === undefined) return undefined;
  const header = authHeader ?? known?.header ?? "Authorization";
  const isKnown = known?.header !== undefined && known.header.toLowerCase() === header.toLowerCase();
  const variable = authEnv ?? (isKnown ? known.variable : undefined) ?? variableFor(name, header);
  assertHeader(header);
  assertVariable(variable);
  return { header, variable };
}

/**
 * The variable for a header: the header's name if it looks like `CONTEXT7_API_KEY`, else derived from the server's
 * name.
 */
export function variableFor(name: string, header: string): string {
  if (/^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(header)) return header;
  const prefix = name
    .toUpperCase()
    .replaceAll("-", "_")
    .replace(/^(?=\d)/, "_");
  return `${prefix}_${isBearer(header) ? "TOKEN" : "API_KEY"}`;
}

function toNeed(name: string, { variable, header }: Credential, known?: KnownAccess): EnvNeed {
  const isKnown = known?.variable === variable;
  const from = isKnown && known.page !== undefined ? ` from ${known.page}` : ` for ${name}`;
  return {
    name: variable,
    description: `${variable.endsWith("TOKEN") ? "Token" : "API key"}${from}`,
    ...(header === undefined ? {} : { header }),
    required: !(isKnown && known.isOptional === true),
  };
}

function uniqueNeeds(needs: readonly EnvNeed[]): EnvNeed[] {
  return needs.filter(({ name }, index) => needs.findIndex((one) => one.name === name) === index);
}

export function isBearer(header: string): boolean {
  return header.toLowerCase() === "authorization";
}

function variablesIn(value: string): string[] {
  return [...value.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map(([, name = ""]) => name);
}

function assertName(name: string): void {
  if (!isServerName(name))
    throw invalid(`${JSON.stringify(name)} is not a valid server name.`, `A name ${SERVER_NAME_RULE}.`);
  if (name === BUILT_IN_SERVER)
    throw invalid(`The name ${BUILT_IN_SERVER} is reserved for the gateway.`, "Choose another name.");
}

function assertAddress(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") {
    throw invalid(`${JSON.stringify(url)} is not an http or https URL.`, 'Write it as "https://host/path".');
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw invalid("The URL contains a user name or a password.", "Send the credential in a header: use --auth-header.");
  }
  if (url.includes("${")) throw invalid("The URL contains a variable.", "Use variables in headers only.");
}

function assertHeader(header: string): void {
  if (/^[!#$%&'*+.^_`|~\w-]{1,256}$/.test(header)) return;
  throw invalid(`${JSON.stringify(header)} is not the name of an HTTP header.`, "Write it as `X-Api-Key`.");
}

function assertOnce(headers: readonly string[]): void {
  const folded = headers.map((header) => header.toLowerCase());
  const twice = headers.find((_, index) => folded.indexOf(folded[index] ?? "") !== index);
  if (twice !== undefined) throw invalid(`The header ${twice} is set twice.`, "Remove one of them.");
}

function assertVariable(variable: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,255}$/.test(variable)) return;
  throw invalid(
    `${JSON.stringify(variable)} is not the name of an environment variable.`,
    "Write it as `BRAVE_API_KEY`.",
  );
}

function invalid(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
