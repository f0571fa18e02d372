// Determines the servers that `discover` connects to. Only tool files with a valid signature or hash are used, so that an
// untrusted file can neither start a program nor send a request.
import { readStanding, type StandingFile } from "../../../discover/standing-files.js";
import {
  type ServerAddressParts,
  type DiscoveryTarget,
  type DiscoveryTargetOptions,
  toTarget,
} from "../../../discover/target.js";
import { DiscoveryError } from "../../../errors.js";
import type { Hint } from "../../../model/next-steps.js";
import { nearestNames } from "../../../search/nearest.js";
import { isSameAddress } from "../../../toolfiles/changes/connections.js";
import type { ToolFile } from "../../../toolfiles/format/tool-file.js";
import { askLine, isAttended } from "../../../terminal/questions.js";
import type { Input } from "../command.js";
import type { Context } from "../context.js";
import { fromConfigured } from "../../../operations/discover/from-configured.js";
import type { DiscoverDesk } from "../../../operations/discover/desk.js";
import { splitCommand } from "../../../util/split-command.js";

export async function chooseTargets(
  input: Input,
  context: Context,
  desk: DiscoverDesk,
): Promise<readonly DiscoveryTarget[]> {
  const configured = configuredTarget(input, desk);
  if (configured !== undefined) return [configured];
  const typed = typedAddresses(input);
  const name = input.text("name");
  const [only, ...others] = typed;
  if (only !== undefined) {
    const address = others.length === 0 ? only : await askWhich(typed, context);
    return [await typedTarget({ ...targetOptions(input), address }, input, desk)];
  }
  if (name !== undefined) return [await filedTarget(name, input, desk)];
  if (input.flag("check")) return await filedTargets(desk);
  return [await typedTarget({ ...targetOptions(input), address: await askAddress(context) }, input, desk)];
}

/** `discover NAME`: a single word that is the name of a configured server. */
function configuredTarget(input: Input, { servers }: DiscoverDesk): DiscoveryTarget | undefined {
  const [word, ...others] = input.list("words");
  const definition = servers.find(({ name }) => name === word);
  if (definition === undefined || others.length > 0) return undefined;
  if (
    hasAccessOptions(targetOptions(input)) ||
    (input.text("url") ?? input.text("command") ?? input.text("name")) !== undefined
  ) {
    throw wrong(
      `${definition.name} is a configured server, so its address and credentials are known.`,
      "Pass only its name.",
    );
  }
  return fromConfigured(definition);
}

/** Without options for credentials, uses the credentials of existing tool files for the same address. */
async function typedTarget(
  options: DiscoveryTargetOptions,
  input: Input,
  desk: DiscoverDesk,
): Promise<DiscoveryTarget> {
  const target = toTarget(options);
  if (!input.flag("force")) refuseWrittenSecrets(target);
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

/** Tool files are shared, so they must not contain secrets. */
function refuseWrittenSecrets({ connection }: DiscoveryTarget): void {
  if (connection.kind === "stdio") return;
  const header = Object.entries(connection.headers).find(
    ([name, value]) => SECRET_NAME.test(name) && !value.includes("${"),
  );
  const parameter = [...new URL(connection.url).searchParams.keys()].find((name) => SECRET_NAME.test(name));
  if (header === undefined && parameter === undefined) return;
  const what = header === undefined ? `${parameter} in the address` : `The header ${header[0]}`;
  const hint =
    "Put it into an environment variable and refer to it with --header 'NAME=${VARIABLE}', or with --auth-header and --auth-env. --force writes it unchanged.";
  throw wrong(`${what} looks like a secret and would be written into every tool file.`, hint);
}

function typedAddresses(input: Input): ServerAddressParts[] {
  const [url, command, words] = [input.text("url"), input.text("command"), input.list("words")];
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

function targetOptions(input: Input): Omit<DiscoveryTargetOptions, "address"> {
  const [name, authHeader, authEnv] = [input.text("name"), input.text("authHeader"), input.text("authEnv")];
  const headers = Object.fromEntries(input.list("header").map(toHeader));
  return { name, authHeader, authEnv, headers };
}

function toHeader(pair: string): [name: string, value: string] {
  const end = pair.indexOf("=");
  if (end > 0) return [pair.slice(0, end), pair.slice(end + 1)];
  throw wrong(`${JSON.stringify(pair)} is not a valid header.`, "Write it as NAME=VALUE.");
}

const BOTH = "Both a URL and a command were passed, but a server has only one of them.";
const NEITHER = "No server was named.";
const HOW =
  "Pass --url URL, or the server's command after --. For a server that has tool files, --name NAME is enough; --check alone compares all tool files.";

async function askWhich(typed: readonly ServerAddressParts[], context: Context): Promise<ServerAddressParts> {
  if (context.isJson || !isAttended(context)) throw wrong(BOTH, "Omit one of them.");
  const answer = (await askLine(`${BOTH} Which one: url or command?`, context))?.trim();
  const chosen = typed.filter(({ kind }) => kind === answer);
  const [only, ...others] = chosen;
  if (only === undefined || others.length > 0) throw wrong(BOTH, "Omit one of them.");
  return only;
}

async function askAddress(context: Context): Promise<ServerAddressParts> {
  if (context.isJson || !isAttended(context)) throw wrong(NEITHER, HOW);
  const answer = (await askLine("URL of the server, or the command that starts it:", context))?.trim();
  if (!answer) throw wrong(NEITHER, HOW);
  return /^https?:\/\//i.test(answer) ? { kind: "url", url: answer } : toCommand(answer);
}

async function filedTarget(name: string, input: Input, desk: DiscoverDesk): Promise<DiscoveryTarget> {
  const standing = await readStanding(desk.folder, desk.parts);
  const file = toVerified(standing).find(({ server }) => server === name);
  if (file === undefined) throw withoutFiles(name, standing, desk);
  if (!hasAccessOptions(targetOptions(input))) return toFiled(file);
  const { connection } = file;
  const address: ServerAddressParts =
    connection.kind === "stdio"
      ? { kind: "command", words: [connection.command, ...connection.args] }
      : { kind: "url", url: connection.url };
  return await typedTarget({ ...targetOptions(input), address }, input, desk);
}

async function filedTargets(desk: DiscoverDesk): Promise<DiscoveryTarget[]> {
  const standing = await readStanding(desk.folder, desk.parts);
  const first = new Map(
    toVerified(standing)
      .toReversed()
      .map((file) => [file.server, file]),
  );
  // If all files are rejected, the check itself reports that.
  if (standing.length === 0) throw wrong(`There are no signed tool files in ${desk.folder}.`, HOW);
  return [...first.values()].reverse().map(toFiled);
}

async function verifiedFiles({ folder, parts }: DiscoverDesk): Promise<ToolFile[]> {
  return toVerified(await readStanding(folder, parts));
}

function toVerified(standing: readonly StandingFile[]): ToolFile[] {
  return standing.flatMap(({ file, trust }) => (file === undefined || trust === "none" ? [] : [file]));
}

function toFiled({ server: name, connection, needs }: ToolFile): DiscoveryTarget {
  return { name, connection, needs };
}

function withoutFiles(name: string, standing: readonly StandingFile[], { folder }: DiscoverDesk): DiscoveryError {
  const refused = standing.find(({ file, refusal }) => file?.server === name && refusal !== undefined)?.refusal;
  if (refused !== undefined) {
    return wrong(`No signed file in ${folder} describes the server "${name}".`, [
      refused.message,
      ...refused.nextSteps,
    ]);
  }
  const files = toVerified(standing);
  const names = [...new Set(files.map(({ server }) => server))];
  const [near] = nearestNames(name, names);
  const meant = near === undefined ? "" : `Did you mean ${near}? `;
  return wrong(`No signed file in ${folder} describes the server "${name}".`, `${meant}${HOW}`);
}

function wrong(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
