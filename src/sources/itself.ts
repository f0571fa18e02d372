import type { Connection } from "../model/server.js";
import { programWords } from "./program-words.js";

/** Where this gateway's own programs lie, with links followed. */
export interface OwnProgram {
  readonly paths: readonly string[];
  /** The folder of the package that they belong to. */
  readonly root?: string;
  /** Follows links; a path that leads nowhere stays as it is. */
  readonly realPath?: (path: string) => string;
  /** Where a bare name is found when it is started. */
  readonly which?: (name: string) => string | undefined;
}

/** Whether a definition starts this gateway: other programs' files name it, and it must never start itself. */
export function isGatewayItself(connection: Connection, own?: OwnProgram): boolean {
  if (connection.kind !== "stdio") return false;
  const words = programWords(connection);
  if (words.some((word) => PACKAGE.test(word) || SCRIPT.test(word))) return true;
  if (own !== undefined && isOwn(words, own)) return true;
  if (words.some((word) => CONTAINER.test(word)) && words.some((word) => IMAGE.test(word))) return true;
  return words.some((word, index) => isOwnProgram(word, index === 0, words.slice(index + 1)));
}

const PACKAGE = /^(?:--package=|-p=|npm:)?@anygpt\/discovery(?:@[^/\\]*)?$/;
/** Our own files wherever they lie. An unscoped package of the name `mcp-discovery` is somebody else's. */
const SCRIPT =
  /[\\/]@anygpt[\\/]discovery[\\/](?:bin|dist)[\\/]|(?:^|[\\/])bin[\\/]discovery\.js$|(?<!node_modules)[\\/]mcp-discovery[\\/]dist[\\/]index\.js$/;
const CONTAINER = /(?:^|[\\/])(?:docker|podman|nerdctl)(?:\.exe)?$/i;
const IMAGE = /^(?:[\w.-]+(?::\d+)?\/)?anygpt\/discovery(?:[:@].*)?$/;
const DISCOVERY = /(?:^|[\\/])discovery(?:\.cmd|\.ps1|\.exe)?$/i;
const INSTALLED_DISCOVERY = /[\\/]\.bin[\\/]discovery(?:\.cmd|\.ps1|\.exe)?$/i;
const ANYGPT = /(?:^|[\\/])anygpt(?:\.js|\.cmd|\.ps1|\.exe)?$/i;
const OWN_OPTION = /^(?:--config(?:=.*)?|--json|--help|--version|-h|-V|serve)$/;

/** `discovery` is a common word: it is our program only as the command itself, with options of ours, or among installed ones. */
function isOwnProgram(word: string, isCommand: boolean, rest: readonly string[]): boolean {
  if (ANYGPT.test(word)) return rest.includes("mcp") && rest.indexOf("serve") > rest.indexOf("mcp");
  if (INSTALLED_DISCOVERY.test(word)) return true;
  return isCommand && DISCOVERY.test(word) && (rest[0] === undefined || OWN_OPTION.test(rest[0]));
}

/** Words that may stand before the program that is meant: who starts it, who interprets it, and their options. */
const BEFORE =
  /^(?:-.*|[A-Za-z_]\w*=.*)$|(?:^|[\\/])(?:cd|exec|env|nohup|sudo|command|time|nice|node|nodejs|bun|deno|tsx|npx|bunx|npm|pnpm|pnpx|yarn|x|run|dlx)(?:\.cmd|\.exe)?$/i;
const TAKES_VALUE = /^(?:-r|--require|--import|--loader|--env-file|-C|-p|--package|-u|cd)$/;
const RUNNER = /(?:^|[\\/])(?:npx|bunx|bun|npm|pnpm|pnpx|yarn)(?:\.cmd|\.exe)?$/i;

/**
 * By its files or those of another copy, wherever a link to them lies, or by the folder of its package where a runner is
 * told to run that. Only what is started is looked at: whether the data of other servers can be reached is not our business.
 */
function isOwn(words: readonly string[], own: OwnProgram): boolean {
  const isBefore = (word: string, index: number): boolean =>
    BEFORE.test(word) || TAKES_VALUE.test(words[index - 1] ?? "");
  const end = words.findIndex((word, index) => !isBefore(word, index));
  const started = end === -1 ? words : words.slice(0, end + 1);
  return started.some((word, index) => {
    const place = realPathOf(word, own);
    if (place === undefined) return false;
    if (own.paths.includes(place) || SCRIPT.test(place)) return true;
    return place === own.root && started.slice(0, index).some((one) => RUNNER.test(one));
  });
}

function realPathOf(word: string, { realPath = (path) => path, which }: OwnProgram): string | undefined {
  if (/[\\/]/.test(word)) return realPath(word.replace(/^(?:--package=|file:(?:\/\/)?)/, ""));
  const found = /^[\w.-]+$/.test(word) ? which?.(word) : undefined;
  return found === undefined ? undefined : realPath(found);
}
