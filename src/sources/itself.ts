import type { Connection } from "../model/server.js";

/** Whether a definition starts this gateway: other programs' files name it, and it must never start itself. */
export function isGatewayItself(connection: Connection): boolean {
  if (connection.kind !== "stdio") return false;
  const { command, args } = connection;
  const words = [command, ...(SHELL.test(command) ? args.flatMap(splitScript) : args)];
  if (words.some((word) => PACKAGE.test(word) || SCRIPT.test(word))) return true;
  if (CONTAINER.test(command) && args.some((word) => IMAGE.test(word))) return true;
  return words.some((word, index) => isOwnProgram(word, index === 0, words.slice(index + 1)));
}

const PACKAGE = /^(?:--package=|-p=)?@anygpt\/discovery(?:@[^/\\]*)?$/;
/** Our own files wherever they lie. An unscoped package of the name `mcp-discovery` is somebody else's. */
const SCRIPT =
  /[\\/]@anygpt[\\/]discovery[\\/](?:bin|dist)[\\/]|(?:^|[\\/])bin[\\/]discovery\.js$|(?<!node_modules)[\\/]mcp-discovery[\\/]dist[\\/]index\.js$/;
const CONTAINER = /(?:^|[\\/])(?:docker|podman)(?:\.exe)?$/i;
const IMAGE = /^(?:[\w.-]+(?::\d+)?\/)?anygpt\/discovery(?:[:@].*)?$/;
const SHELL = /(?:^|[\\/])(?:sh|bash|zsh|dash|fish|cmd|powershell|pwsh)(?:\.exe)?$/i;
const DISCOVERY = /(?:^|[\\/])discovery(?:\.cmd|\.ps1|\.exe)?$/i;
const INSTALLED_DISCOVERY = /[\\/]\.bin[\\/]discovery(?:\.cmd|\.ps1|\.exe)?$/i;
const ANYGPT = /(?:^|[\\/])anygpt(?:\.js|\.cmd|\.ps1|\.exe)?$/i;

/** `discovery` is a common word: it is our program only as the command itself, with nothing but options, or among installed ones. */
function isOwnProgram(word: string, isCommand: boolean, rest: readonly string[]): boolean {
  if (ANYGPT.test(word)) return rest.includes("mcp") && rest.indexOf("serve") > rest.indexOf("mcp");
  if (INSTALLED_DISCOVERY.test(word)) return true;
  return isCommand && DISCOVERY.test(word) && (rest.length === 0 || rest[0]?.startsWith("-") === true);
}

function splitScript(script: string): string[] {
  return script.split(/[\s"';&|()]+/).filter((word) => word !== "");
}
