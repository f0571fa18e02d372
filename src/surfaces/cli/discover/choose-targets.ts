// What was typed comes in, the servers to ask go out. Of files only those count that somebody vouches for: nothing is started and
// nobody is asked because a file says so that anybody may have written.
import { readStanding, type StandingFile } from "../../../discover/standing-files.js";
import { type Address, type DiscoveryTarget, type TargetWish, toTarget } from "../../../discover/target.js";
import { DiscoveryError } from "../../../errors.js";
import { nearestNames } from "../../../search/nearest.js";
import { isSameAddress } from "../../../toolfiles/changes/connections.js";
import type { ToolFile } from "../../../toolfiles/format/tool-file.js";
import { isAttended } from "../ask.js";
import type { Input } from "../command.js";
import type { Context } from "../context.js";
import { askText } from "./ask-text.js";
import { fromConfigured } from "./from-configured.js";
import type { DiscoverDesk } from "./desk.js";
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
    return [await typedTarget({ ...wishOf(input), address }, input, desk)];
  }
  if (name !== undefined) return [await filedTarget(name, input, desk)];
  if (input.flag("check")) return await filedTargets(desk);
  return [await typedTarget({ ...wishOf(input), address: await askAddress(context) }, input, desk)];
}

/** `discover NAME`: a single word that is the name of a configured server. */
function configuredTarget(input: Input, { servers }: DiscoverDesk): DiscoveryTarget | undefined {
  const [word, ...others] = input.list("words");
  const definition = servers.find(({ name }) => name === word);
  if (definition === undefined || others.length > 0) return undefined;
  if (saysOfAccess(wishOf(input)) || (input.text("url") ?? input.text("command") ?? input.text("name")) !== undefined) {
    throw wrong(`${definition.name} is configured: its address and credentials are known.`, "Give its name alone.");
  }
  return fromConfigured(definition);
}

/** Whoever says nothing of credentials means those that the files name for the same place. */
async function typedTarget(wish: TargetWish, input: Input, desk: DiscoverDesk): Promise<DiscoveryTarget> {
  const target = toTarget(wish);
  if (!input.flag("force")) refuseWrittenSecrets(target);
  if (saysOfAccess(wish)) return target;
  const { name, connection } = target;
  const files = await vouchedFiles(desk);
  const filed = files.find((file) => file.server === name && isSameAddress(file.connection, connection));
  return filed === undefined ? target : { ...target, connection: filed.connection, needs: filed.needs };
}

function saysOfAccess({ authHeader, authEnv, headers = {} }: Omit<TargetWish, "address">): boolean {
  return authHeader !== undefined || authEnv !== undefined || Object.keys(headers).length > 0;
}

const SECRET_NAME = /auth|key|token|secret|cookie|password/i;

/** Files are made to be handed on. */
function refuseWrittenSecrets({ connection }: DiscoveryTarget): void {
  if (connection.kind === "stdio") return;
  const header = Object.entries(connection.headers).find(
    ([name, value]) => SECRET_NAME.test(name) && !value.includes("${"),
  );
  const parameter = [...new URL(connection.url).searchParams.keys()].find((name) => SECRET_NAME.test(name));
  if (header === undefined && parameter === undefined) return;
  const what = header === undefined ? `${parameter} in the address` : `The header ${header[0]}`;
  const hint =
    "Keep it in a variable, and name it: --header 'NAME=${VARIABLE}', or --auth-header and --auth-env. --force writes it as it stands.";
  throw wrong(`${what} looks like a secret, and would stand in every file.`, hint);
}

function typedAddresses(input: Input): Address[] {
  const [url, command, words] = [input.text("url"), input.text("command"), input.list("words")];
  return [
    ...(url === undefined ? [] : [{ kind: "url", url } as const]),
    ...(command === undefined ? [] : [toCommand(command)]),
    ...(words.length === 0 ? [] : [{ kind: "command", words } as const]),
  ];
}

function toCommand(text: string): Address {
  const words = splitCommand(text);
  if (words !== undefined) return { kind: "command", words };
  throw wrong("A quote in the command is not closed.", "Give the command behind -- in place of --command.");
}

function wishOf(input: Input): Omit<TargetWish, "address"> {
  const [name, authHeader, authEnv] = [input.text("name"), input.text("authHeader"), input.text("authEnv")];
  const headers = Object.fromEntries(input.list("header").map(toHeader));
  return { name, authHeader, authEnv, headers };
}

function toHeader(pair: string): [name: string, value: string] {
  const end = pair.indexOf("=");
  if (end > 0) return [pair.slice(0, end), pair.slice(end + 1)];
  throw wrong(`${JSON.stringify(pair)} is no header.`, "Write it as NAME=VALUE.");
}

const BOTH = "Both an address and a command are given, and a server has one of them.";
const NEITHER = "It is not said which server to discover.";
const HOW =
  "Give --url ADDRESS, or the command behind --; --name NAME alone is enough for a server that has files, and --check alone compares all of them.";

async function askWhich(typed: readonly Address[], context: Context): Promise<Address> {
  if (context.isJson || !isAttended(context)) throw wrong(BOTH, "Leave one of them out.");
  const answer = await askText(`${BOTH} Which one: url or command?`, context);
  const chosen = typed.filter(({ kind }) => kind === answer);
  const [only, ...others] = chosen;
  if (only === undefined || others.length > 0) throw wrong(BOTH, "Leave one of them out.");
  return only;
}

async function askAddress(context: Context): Promise<Address> {
  if (context.isJson || !isAttended(context)) throw wrong(NEITHER, HOW);
  const answer = await askText("Web address of the server, or the command that starts it:", context);
  if (answer === undefined) throw wrong(NEITHER, HOW);
  return /^https?:\/\//i.test(answer) ? { kind: "url", url: answer } : toCommand(answer);
}

async function filedTarget(name: string, input: Input, desk: DiscoverDesk): Promise<DiscoveryTarget> {
  const standing = await readStanding(desk.folder, desk.parts);
  const file = toVouched(standing).find(({ server }) => server === name);
  if (file === undefined) throw withoutFiles(name, standing, desk);
  if (!saysOfAccess(wishOf(input))) return toFiled(file);
  const { connection } = file;
  const address: Address =
    connection.kind === "stdio"
      ? { kind: "command", words: [connection.command, ...connection.args] }
      : { kind: "url", url: connection.url };
  return await typedTarget({ ...wishOf(input), address }, input, desk);
}

async function filedTargets(desk: DiscoverDesk): Promise<DiscoveryTarget[]> {
  const standing = await readStanding(desk.folder, desk.parts);
  const first = new Map(
    toVouched(standing)
      .toReversed()
      .map((file) => [file.server, file]),
  );
  // Where all of them are refused, the check tells that.
  if (standing.length === 0) throw wrong(`There are no signed tool files in ${desk.folder}.`, HOW);
  return [...first.values()].reverse().map(toFiled);
}

async function vouchedFiles({ folder, parts }: DiscoverDesk): Promise<ToolFile[]> {
  return toVouched(await readStanding(folder, parts));
}

function toVouched(standing: readonly StandingFile[]): ToolFile[] {
  return standing.flatMap(({ file, trust }) => (file === undefined || trust === "none" ? [] : [file]));
}

function toFiled({ server: name, connection, needs }: ToolFile): DiscoveryTarget {
  return { name, connection, needs };
}

function withoutFiles(name: string, standing: readonly StandingFile[], { folder }: DiscoverDesk): DiscoveryError {
  const refused = standing.find(({ file, refusal }) => file?.server === name && refusal !== undefined)?.refusal;
  if (refused !== undefined) {
    const hint = `${refused.message} ${refused.hint ?? ""}`.trim();
    return wrong(`No signed file in ${folder} is about a server "${name}".`, hint);
  }
  const files = toVouched(standing);
  const names = [...new Set(files.map(({ server }) => server))];
  const [near] = nearestNames(name, names);
  const meant = near === undefined ? "" : `Did you mean ${near}? `;
  return wrong(`No signed file in ${folder} is about a server "${name}".`, `${meant}${HOW}`);
}

function wrong(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
