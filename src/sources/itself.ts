import type { Connection } from "../model/server.js";
import { programWords } from "./program-words.js";

/** Where this gateway's own programs lie, with links followed. */
export interface OwnProgram {
  readonly paths: readonly string[];
  /** Follows links; a path that leads nowhere stays as it is. */
  readonly realPath?: (path: string) => string;
}

/** Whether a definition starts this gateway: other programs' files name it, and it must never start itself. */
export function isGatewayItself(connection: Connection, own?: OwnProgram): boolean {
  if (connection.kind !== "stdio") return false;
  const words = programWords(connection);
  if (words.some((word) => PACKAGE.test(word) || SCRIPT.test(word) || isOwnPath(word, own))) return true;
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

function isOwnPath(word: string, own: OwnProgram | undefined): boolean {
  if (own === undefined || !/[\\/]/.test(word)) return false;
  return own.paths.includes(word) || (own.realPath !== undefined && own.paths.includes(own.realPath(word)));
}
