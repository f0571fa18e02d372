// Determines the servers that `discover` connects to. Only tool files with a valid signature or hash are used, so that
// an untrusted file can neither start a program nor send a request.
import { readExistingFiles, type ExistingFile } from "../../discover/existing-files.js";
import {
  type ServerAddressParts,
  type DiscoveryTarget,
  type DiscoveryTargetOptions,
  toTarget,
} from "../../discover/target.js";
import { DiscoveryError } from "../../errors.js";
import type { Hint } from "../../model/next-steps.js";
import { nearestNames } from "../../search/nearest.js";
import { isSameAddress } from "../../toolfiles/changes/connections.js";
import type { ToolFile } from "../../toolfiles/format/tool-file.js";
import { fromConfigured } from "./from-configured.js";
import type { DiscoverDesk } from "./desk.js";
import { splitCommand } from "../../util/split-command.js";

/** The servers that the user names, by name, by URL or by command. */
export interface DiscoverRequest {
  /** The name of a configured server, or a command and its arguments. */
  readonly words: readonly string[];
  readonly url: string | undefined;
  readonly command: string | undefined;
  readonly name: string | undefined;
  readonly authHeader: string | undefined;
  readonly authEnv: string | undefined;
  /** HTTP headers as `NAME=VALUE`. */
  readonly headers: readonly string[];
  /** True for `--check`: if no server is named, all tool files are compared with their servers. */
  readonly isCheck: boolean;
  /** Write secrets in plain text into tool files instead of throwing. */
  readonly isForced: boolean;
  /** Asks the user for a line of text. Undefined if there is no terminal. */
  readonly ask?: (question: string) => Promise<string | undefined>;
}

export async function chooseTargets(request: DiscoverRequest, desk: DiscoverDesk): Promise<readonly DiscoveryTarget[]> {
  const configured = configuredTarget(request, desk);
  if (configured !== undefined) return [configured];
  const typed = typedAddresses(request);
  const [only, ...others] = typed;
  if (only !== undefined) {
    const address = others.length === 0 ? only : await askWhich(typed, request);
    return [await typedTarget({ ...targetOptions(request), address }, request, desk)];
  }
  if (request.name !== undefined) return [await filedTarget(request.name, request, desk)];
  if (request.isCheck) return await filedTargets(desk);
  return [await typedTarget({ ...targetOptions(request), address: await askAddress(request) }, request, desk)];
}

/** `discover NAME`: a single word that is the name of a configured server. */
function configuredTarget(request: DiscoverRequest, { servers }: DiscoverDesk): DiscoveryTarget | undefined {
  const [word, ...others] = request.words;
  const definition = servers.find(({ name }) => name === word);
  if (definition === undefined || others.length > 0) return undefined;
  if (hasAccessOptions(targetOptions(request)) || (request.url ?? request.command ?? request.name) !== undefined) {
    throw wrong(
      `${definition.name} is a configured server, so its URL or command and its credentials are known.`,
      "Pass only the name of the server.",
    );
  }
  return fromConfigured(definition);
}

/**
 * The server that the user named by URL or command. Without options for credentials, uses the credentials of existing
 * tool files for the same URL or command.
 */
async function typedTarget(
  options: DiscoveryTargetOptions,
  request: DiscoverRequest,
  desk: DiscoverDesk,
): Promise<DiscoveryTarget> {
  const target = toTarget(options);
  if (!request.isForced) refuseWrittenSecrets(target);
  if (hasAccessOptions(options)) return target;
  const { name, connection } = target;
  const files = await verifiedFiles(desk);
  const filed = files.find((file) => file.server === name && isSameAddress(file.connection, connection));
  return filed === undefined ? target : { ...target, connection: filed.connection, needs: filed.needs };
}

function hasAccessOptions({ authHeader, authEnv, headers = {} }: Omit<DiscoveryTargetOptions, "address">): boolean {
  return authHeader !== undefined || authEnv !== undefined || Object.keys(headers).length > 0;
}

const SECRET_NAME = /auth|key|token|secret|cookie|password/i;

/** Throws if an HTTP header contains a literal secret: tool files are shared, so they must not contain secrets. */
function refuseWrittenSecrets({ connection }: DiscoveryTarget): void {
  if (connection.kind === "stdio") return;
  const header = Object.entries(connection.headers).find(
    ([name, value]) => SECRET_NAME.test(name) && !value.includes("${"),
  );
  const parameter = [...new URL(connection.url).searchParams.keys()].find((name) => SECRET_NAME.test(name));
  if (header === undefined && parameter === undefined) return;
  const what = header === undefined ? `${parameter} in the address` : `The header ${header[0]}`;
  const hint =
    "Put the secret into an environment variable and refer to that with --header 'NAME=${VARIABLE}', or with --auth-header and --auth-env. --force writes the secret unchanged.";
  throw wrong(`${what} looks like a secret and would be written into every tool file.`, hint);
}

function typedAddresses({ url, command, words }: DiscoverRequest): ServerAddressParts[] {
  return [
    ...(url === undefined ? [] : [{ kind: "url", url } as const]),
    ...(command === undefined ? [] : [toCommand(command)]),
    ...(words.length === 0 ? [] : [{ kind: "command", words } as const]),
  ];
}

function toCommand(text: string): ServerAddressParts {
  const words = splitCommand(text);
  if (words !== undefined) return { kind: "command", words };
  throw wrong("A quote in the command is not closed.", "Write the command after -- instead of --command.");
}

function targetOptions(request: DiscoverRequest): Omit<DiscoveryTargetOptions, "address"> {
  const { name, authHeader, authEnv } = request;
  return { name, authHeader, authEnv, headers: Object.fromEntries(request.headers.map(toHeader)) };
}

function toHeader(pair: string): [name: string, value: string] {
  const end = pair.indexOf("=");
  if (end > 0) return [pair.slice(0, end), pair.slice(end + 1)];
  throw wrong(`${JSON.stringify(pair)} is not a valid header.`, "Write the header as NAME=VALUE.");
}

const BOTH = "Both a URL and a command were passed, but a server has only one of them.";
const NEITHER = "No server was named.";
const HOW =
  "Pass --url URL, or the server's command after --. For a server that has tool files, --name NAME is enough; --check alone compares all tool files.";

async function askWhich(typed: readonly ServerAddressParts[], { ask }: DiscoverRequest): Promise<ServerAddressParts> {
  const answer = (await ask?.(`${BOTH} Which one: url or command?`))?.trim();
  const chosen = typed.filter(({ kind }) => kind === answer);
  const [only, ...others] = chosen;
  if (only === undefined || others.length > 0) throw wrong(BOTH, "Omit the URL or the command.");
  return only;
}

async function askAddress({ ask }: DiscoverRequest): Promise<ServerAddressParts> {
  const answer = (await ask?.("URL of the server, or the command that starts it:"))?.trim();
  if (!answer) throw wrong(NEITHER, HOW);
  return /^https?:\/\//i.test(answer) ? { kind: "url", url: answer } : toCommand(answer);
}

async function filedTarget(name: string, request: DiscoverRequest, desk: DiscoverDesk): Promise<DiscoveryTarget> {
  const existing = await readExistingFiles(desk.folder, desk.parts);
  const file = toVerified(existing).find(({ server }) => server === name);
  if (file === undefined) throw withoutFiles(name, existing, desk);
  if (!hasAccessOptions(targetOptions(request))) return toFiled(file);
  const { connection } = file;
  const address: ServerAddressParts =
    connection.kind === "stdio"
      ? { kind: "command", words: [connection.command, ...connection.args] }
      : { kind: "url", url: connection.url };
  return await typedTarget({ ...targetOptions(request), address }, request, desk);
}

async function filedTargets(desk: DiscoverDesk): Promise<DiscoveryTarget[]> {
  const existing = await readExistingFiles(desk.folder, desk.parts);
  const first = new Map(
    toVerified(existing)
      .toReversed()
      .map((file) => [file.server, file]),
  );
  // If there are files but all are rejected, there is no target, and the caller reports the rejected files.
  if (existing.length === 0) throw wrong(`There are no signed tool files in ${desk.folder}.`, HOW);
  return [...first.values()].reverse().map(toFiled);
}

async function verifiedFiles({ folder, parts }: DiscoverDesk): Promise<ToolFile[]> {
  return toVerified(await readExistingFiles(folder, parts));
}

function toVerified(existing: readonly ExistingFile[]): ToolFile[] {
  return existing.flatMap(({ file, trust }) => (file === undefined || trust === "none" ? [] : [file]));
}

function toFiled({ server: name, connection, needs }: ToolFile): DiscoveryTarget {
  return { name, connection, needs };
}

function withoutFiles(name: string, existing: readonly ExistingFile[], { folder }: DiscoverDesk): DiscoveryError {
  const refused = existing.find(({ file, refusal }) => file?.server === name && refusal !== undefined)?.refusal;
  if (refused !== undefined) {
    return wrong(`No signed file in ${folder} describes the server "${name}".`, [
      refused.message,
      ...refused.nextSteps,
    ]);
  }
  const files = toVerified(existing);
  const names = [...new Set(files.map(({ server }) => server))];
  const [near] = nearestNames(name, names);
  const meant = near === undefined ? "" : `Did you mean ${near}? `;
  return wrong(`No signed file in ${folder} describes the server "${name}".`, `${meant}${HOW}`);
}

function wrong(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
