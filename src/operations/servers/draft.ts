// Converts the arguments of `anygpt mcp add` to an entry of the configuration.
import type { Hint } from "../../model/next-steps.js";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { parseDockerRun } from "../../util/docker-command.js";
import { absolutePath, shortenHome } from "../../util/home-path.js";
import type { AddRequest } from "./add.js";

export interface TypedServer {
  readonly name: string;
  /** A command with its arguments, or one URL. */
  readonly words: readonly string[];
  /** Environment variables as `NAME=value`, or as `NAME` to refer to the variable of that name. */
  readonly env?: readonly string[];
  /** HTTP headers as `Name: value`. */
  readonly headers?: readonly string[];
  readonly cwd?: string | undefined;
  readonly transport?: string | undefined;
}

export interface TypedPlaces {
  readonly home: string;
  /** The user's working folder: relative paths start here. */
  readonly cwd: string;
  /** The default working folder of the servers in the edited file. */
  readonly startDir: string;
}

export function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

export function toDraft(typed: TypedServer, places: TypedPlaces): AddRequest {
  const [first = ""] = typed.words;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(first) && !isAddress(first)) {
    throw invalidRequest(
      `${JSON.stringify(first)} is neither a command nor the URL of an MCP server.`,
      "The URL must start with https:// or http://.",
    );
  }
  for (const word of typed.words) assertFilledIn(word);
  const isRemote = typed.words.length === 1 && (isAddress(first) || typed.transport !== undefined);
  return isRemote ? toRemote(typed, first) : toProgram(typed, places);
}

/** Rejects placeholders that were copied from documentation, such as `<folder>` and `${workspaceFolder}`. */
function assertFilledIn(word: string): void {
  if (!/^<[\w .:-]+>$/.test(word) && !/\$\{(?:workspaceFolder|workspaceRoot|input:[^}]*)\}/.test(word)) return;
  throw invalidRequest(`${JSON.stringify(word)} is a placeholder.`, "Replace it with your own value.");
}

function toRemote({ name, headers = [], env = [], cwd, transport }: TypedServer, url: string): AddRequest {
  const unsupported = env.length > 0 ? "--env" : cwd === undefined ? undefined : "--cwd";
  if (unsupported !== undefined)
    throw invalidRequest(`${unsupported} works only for a server with a command, but ${url} is a URL.`, USE_HEADER);
  const headerEntries = Object.fromEntries(headers.map(toHeader));
  return {
    name,
    entry: {
      ...(transport === "sse" ? { type: "sse" } : {}),
      url,
      ...(headers.length === 0 ? {} : { headers: headerEntries }),
    },
  };
}

const USE_HEADER = "Pass values to a remote server with --header.";

function toProgram(
  { name, words, env = [], headers = [], cwd, transport }: TypedServer,
  places: TypedPlaces,
): AddRequest {
  const [command = "", ...args] = words;
  const unsupported = headers.length > 0 ? "--header" : transport === undefined ? undefined : "--transport";
  if (unsupported !== undefined) {
    throw invalidRequest(
      `${unsupported} works only for a server with a URL, but ${command} is a command.`,
      "Pass values to a local server with --env.",
    );
  }
  if (args.length === 0 && /\s/.test(command) && !/[\\/]/.test(command)) {
    throw invalidRequest(`The command and its arguments are one quoted word: ${JSON.stringify(command)}.`, {
      action: "run-command",
      command: `anygpt mcp add ${name} -- ${command}`,
      purpose: "add it without the quotes",
    });
  }
  const docker = parseDockerRun(words);
  if (docker?.isInteractive === false) {
    throw invalidRequest("`docker run` without -i closes the standard input of the server, which then ends.", {
      action: "run-command",
      command: `anygpt mcp add ${name} -- ${command} run -i …`,
      purpose: "add it with -i",
    });
  }
  const variables = Object.fromEntries([...(docker?.variables ?? []), ...env].map(toVariable));
  const folder = folderFor(words, cwd, places);
  return {
    name,
    entry: {
      command,
      ...(args.length === 0 ? {} : { args }),
      ...(Object.keys(variables).length === 0 ? {} : { env: variables }),
      ...(folder === undefined ? {} : { cwd: shortenHome(folder, places.home) }),
    },
    ...(folder !== undefined && cwd === undefined
      ? {
          notes: [
            `The command contains a path relative to ${folder}, so the gateway starts the server in that folder.`,
          ],
        }
      : {}),
  };
}

/** Returns the working folder if a relative path needs it: the gateway starts servers in another folder. */
function folderFor(words: readonly string[], cwd: string | undefined, places: TypedPlaces): string | undefined {
  if (cwd !== undefined) return absolutePath(cwd, { home: places.home, baseDir: places.cwd });
  if (places.cwd === places.startDir) return undefined;
  return words.some((word) => isRelativePath(word, places.cwd)) ? places.cwd : undefined;
}

const MAX_PATH_LENGTH = 1_024;

/** Whether the text is a path such as `./x`, `../x` or `.`, or the relative path of an existing file. */
function isRelativePath(written: string, folder: string): boolean {
  const word = written.replace(/^--?[\w-]+=/, "");
  if (/^\.{1,2}(?:[\\/]|$)/.test(word)) return true;
  const mayBePath =
    word.length <= MAX_PATH_LENGTH && /[\\/.]/.test(word) && !/^[-/~\\@\0]|^[a-z]:|:\/\/|\$\{/i.test(word);
  return mayBePath && existsSync(join(folder, word));
}

export function toVariable(pair: string): [string, string] {
  const at = pair.indexOf("=");
  const name = at === -1 ? pair : pair.slice(0, at);
  if (!/^[^=\s]+$/.test(name))
    throw invalidRequest(`--env ${JSON.stringify(name)} is not the name of a variable.`, "Write --env NAME=value.");
  return at === -1 ? [name, `\${${name}}`] : [name, pair.slice(at + 1)];
}

function toHeader(pair: string): [string, string] {
  const [, name, value] = /^([^:\s]+)\s*:\s*([^]*)$/.exec(pair) ?? [];
  if (name !== undefined && value !== undefined && value !== "") return [name, value];
  // The message does not contain the value, which may be a secret.
  throw invalidRequest("A --header has no colon between its name and its value.", "Write --header 'Name: value'.");
}

function invalidRequest(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
