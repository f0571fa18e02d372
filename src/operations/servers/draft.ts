// Comes in: what the user typed about one server; goes out: its entry as the configuration writes it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { parseDockerRun } from "../../util/docker-command.js";
import { absolutePath, shortenHome } from "../../util/home-path.js";
import type { ServerDraft } from "./add.js";

export interface TypedServer {
  readonly name: string;
  /** A command with its arguments, or one address. */
  readonly words: readonly string[];
  /** `NAME=value`, or `NAME` for the variable of that name. */
  readonly env?: readonly string[];
  /** `Name: value`. */
  readonly headers?: readonly string[];
  readonly cwd?: string | undefined;
  readonly transport?: string | undefined;
}

export interface TypedPlaces {
  readonly home: string;
  /** Where the user is: relative paths start here. */
  readonly cwd: string;
  /** Where the gateway starts the servers of the file that is edited, unless an entry says otherwise. */
  readonly startDir: string;
}

export function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

export function toDraft(typed: TypedServer, places: TypedPlaces): ServerDraft {
  const [first = ""] = typed.words;
  const isRemote = typed.words.length === 1 && (isAddress(first) || typed.transport !== undefined);
  return isRemote ? toRemote(typed, first) : toProgram(typed, places);
}

function toRemote({ name, headers = [], env = [], cwd, transport }: TypedServer, url: string): ServerDraft {
  const stray = env.length > 0 ? "--env" : cwd === undefined ? undefined : "--cwd";
  if (stray !== undefined)
    throw wrong(`${stray} is for a server that is started, and ${url} is an address.`, USE_HEADER);
  const given = Object.fromEntries(headers.map(toHeader));
  return {
    name,
    entry: {
      ...(transport === "sse" ? { type: "sse" } : {}),
      url,
      ...(headers.length === 0 ? {} : { headers: given }),
    },
  };
}

const USE_HEADER = "Give what the server needs with --header.";

function toProgram(
  { name, words, env = [], headers = [], cwd, transport }: TypedServer,
  places: TypedPlaces,
): ServerDraft {
  const [command = "", ...args] = words;
  const stray = headers.length > 0 ? "--header" : transport === undefined ? undefined : "--transport";
  if (stray !== undefined) {
    throw wrong(
      `${stray} is for a server with an address, and ${command} is a command.`,
      "Use --env for its variables.",
    );
  }
  if (args.length === 0 && /\s/.test(command) && !/[\\/]/.test(command)) {
    throw wrong(
      `The command is one word: ${JSON.stringify(command)}.`,
      `Write it without the quotes: anygpt mcp add ${name} -- ${command}`,
    );
  }
  const docker = parseDockerRun(words);
  if (docker?.isInteractive === false) {
    throw wrong(
      "`docker run` without -i closes the standard input of the server, which then ends.",
      `Write it with -i: anygpt mcp add ${name} -- ${command} run -i …`,
    );
  }
  const given = Object.fromEntries([...(docker?.variables ?? []), ...env].map(toVariable));
  const folder = folderFor(words, cwd, places);
  return {
    name,
    entry: {
      command,
      ...(args.length === 0 ? {} : { args }),
      ...(Object.keys(given).length === 0 ? {} : { env: given }),
      ...(folder === undefined ? {} : { cwd: shortenHome(folder, places.home) }),
    },
    ...(folder !== undefined && cwd === undefined
      ? { notes: [`It has a path that starts in ${folder}, so it is started there.`] }
      : {}),
  };
}

/** The gateway starts servers in another folder than the user is in: a relative path needs this one. */
function folderFor(words: readonly string[], cwd: string | undefined, places: TypedPlaces): string | undefined {
  if (cwd !== undefined) return absolutePath(cwd, { home: places.home, baseDir: places.cwd });
  if (places.cwd === places.startDir) return undefined;
  return words.some((word) => isRelativePath(word, places.cwd)) ? places.cwd : undefined;
}

const LONGEST_PATH = 1_024;

/** `./x`, `../x`, `.`, or the path of a file that is there. */
function isRelativePath(written: string, folder: string): boolean {
  const word = written.replace(/^--?[\w-]+=/, "");
  if (/^\.{1,2}(?:[\\/]|$)/.test(word)) return true;
  const mayBePath = word.length <= LONGEST_PATH && /[\\/.]/.test(word) && !/^[-/~\\@\0]|^[a-z]:|:\/\/|\$\{/i.test(word);
  return mayBePath && existsSync(join(folder, word));
}

export function toVariable(pair: string): [string, string] {
  const at = pair.indexOf("=");
  const name = at === -1 ? pair : pair.slice(0, at);
  if (!/^[^=\s]+$/.test(name))
    throw wrong(`--env ${JSON.stringify(name)} names no variable.`, "Write --env NAME=value.");
  return at === -1 ? [name, `\${${name}}`] : [name, pair.slice(at + 1)];
}

function toHeader(pair: string): [string, string] {
  const [, name, value] = /^([^:\s]+)\s*:\s*([^]*)$/.exec(pair) ?? [];
  if (name !== undefined && value !== undefined && value !== "") return [name, value];
  // The value may be a secret.
  throw wrong("A --header has no colon between its name and its value.", "Write --header 'Name: value'.");
}

function wrong(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
