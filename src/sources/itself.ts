import { isAbsolute, resolve } from "node:path";
import type { ServerConnection } from "../model/server.js";
import { programWords } from "./program-words.js";

/** The paths of this gateway's own programs, with symbolic links resolved. */
export interface OwnProgram {
  readonly paths: readonly string[];
  /** The folder of the package that contains the programs. */
  readonly root?: string;
  /** Resolves symbolic links; returns a path that does not exist unchanged. */
  readonly realPath?: (path: string) => string;
  /** Resolves a command name to a path, as the operating system does. */
  readonly which?: (name: string) => string | undefined;
}

/**
 * Whether a connection starts this gateway. Other programs' files may list the gateway as a server, and the gateway
 * must never start itself.
 */
export function isGatewayItself(connection: ServerConnection, own?: OwnProgram): boolean {
  if (connection.kind !== "stdio") return false;
  const words = programWords(connection);
  if (words.some((word) => PACKAGE.test(word))) return true;
  const { cwd } = connection;
  const folder = cwd !== undefined && isAbsolute(cwd) ? cwd : undefined;
  if (startedCommands(words).some((started) => isOwn(started, { ...own, folder }))) return true;
  if (words.some((word) => CONTAINER.test(word)) && words.some((word) => IMAGE.test(word))) return true;
  return words.some((word, index) => isOwnProgram(word, index === 0, words.slice(index + 1)));
}

const PACKAGE = /^(?:--package=|-p=|npm:)?@anygpt\/discovery(?:@[^/\\]*)?$/;
/**
 * Matches the paths of this gateway's scripts in any location. The unscoped npm package `mcp-discovery` is a different
 * product.
 */
const SCRIPT =
  /[\\/]@anygpt[\\/]discovery[\\/](?:bin|dist)[\\/]|(?:^|[\\/])bin[\\/]discovery\.js$|(?<!node_modules)[\\/]mcp-discovery[\\/]dist[\\/]index\.js$/;
const CONTAINER = /(?:^|[\\/])(?:docker|podman|nerdctl)(?:\.exe)?$/i;
const IMAGE = /^(?:[\w.-]+(?::\d+)?\/)?anygpt\/discovery(?:[:@].*)?$/;
const DISCOVERY = /(?:^|[\\/])discovery(?:\.cmd|\.ps1|\.exe)?$/i;
const INSTALLED_DISCOVERY = /[\\/]\.bin[\\/]discovery(?:\.cmd|\.ps1|\.exe)?$/i;
const ANYGPT = /(?:^|[\\/])anygpt(?:\.js|\.cmd|\.ps1|\.exe)?$/i;
const OWN_OPTION = /^(?:--config(?:=.*)?|--json|--help|--version|-h|-V|serve)$/;

/**
 * Whether a word starts this gateway. `discovery` is a common word: it counts only as the command itself with this
 * gateway's options, or in a `.bin` folder.
 */
function isOwnProgram(word: string, isCommand: boolean, rest: readonly string[]): boolean {
  if (ANYGPT.test(word)) return rest.includes("mcp") && rest.indexOf("serve") > rest.indexOf("mcp");
  if (INSTALLED_DISCOVERY.test(word)) return true;
  return isCommand && DISCOVERY.test(word) && (rest[0] === undefined || OWN_OPTION.test(rest[0]));
}

/** Matches words that may precede the started program: launchers, interpreters and their options. */
const LAUNCHER =
  /^(?:-.*|[A-Za-z_]\w*=.*)$|(?:^|[\\/])(?:cd|exec|env|nohup|sudo|command|time|nice|node|nodejs|bun|deno|tsx|npx|bunx|npm|pnpm|pnpx|yarn|x|run|dlx)(?:\.cmd|\.exe)?$/i;
const TAKES_VALUE = /^(?:-r|--require|--import|--loader|--env-file|-C|-p|--package|-u|cd)$/;
const RUNNER = /(?:^|[\\/])(?:npx|bunx|bun|npm|pnpm|pnpx|yarn)(?:\.cmd|\.exe)?$/i;

const INTERPRETER = /(?:^|[\\/])(?:node|nodejs|bun|deno|tsx)(?:\.cmd|\.exe)?$/i;

/**
 * Returns the parts of a command line that start a program: one part begins with the first word, and one with each
 * later interpreter. Each part ends with the name of the started program.
 */
function startedCommands(words: readonly string[]): string[][] {
  return words.flatMap((word, from) => {
    if (from > 0 && !INTERPRETER.test(word)) return [];
    const rest = words.slice(from);
    const end = rest.findIndex((one, index) => !LAUNCHER.test(one) && !TAKES_VALUE.test(rest[index - 1] ?? ""));
    return [end === -1 ? rest : rest.slice(0, end + 1)];
  });
}

interface Lookup extends Partial<OwnProgram> {
  /** The working folder of the process; undefined if it is not known. */
  readonly folder: string | undefined;
}

/**
 * Whether the words start this gateway: by its script (this copy or another, even through symbolic links), or by the
 * folder of its package after a package runner. Only started programs count: an argument that merely contains the path
 * does not.
 */
function isOwn(started: readonly string[], lookup: Lookup): boolean {
  return started.some((word, index) => {
    if (SCRIPT.test(word)) return true;
    const before = started.slice(0, index);
    const path = realPathOf(word, before, lookup);
    if (path === undefined) return false;
    if (lookup.paths?.includes(path) === true || SCRIPT.test(path)) return true;
    return path === lookup.root && before.some((one) => RUNNER.test(one));
  });
}

function realPathOf(word: string, before: readonly string[], lookup: Lookup): string | undefined {
  const { realPath = (path) => path, which, folder } = lookup;
  const isScript = !word.startsWith("-") && before.some((one) => INTERPRETER.test(one));
  if (/[\\/]/.test(word) || (isScript && folder !== undefined)) {
    const path = word.replace(/^(?:--package=|file:(?:\/\/)?)/, "");
    return realPath(folder === undefined ? path : resolve(folder, path));
  }
  const found = /^[\w.-]+$/.test(word) ? which?.(word) : undefined;
  return found === undefined ? undefined : realPath(found);
}
