import type { Connection } from "../model/server.js";

/** Whether a definition starts this gateway: other programs' files name it, and it must never start itself. */
export function isGatewayItself(connection: Connection): boolean {
  if (connection.kind !== "stdio") return false;
  const { command, args } = connection;
  const words = [command, ...args];
  if (words.some((word) => PACKAGE.test(word) || INSTALLED.test(word))) return true;
  if (/(?:^|[\\/])(?:docker|podman)(?:\.exe)?$/i.test(command)) return args.some((word) => IMAGE.test(word));
  return ANYGPT.test(command) && args[0] === "mcp" && args[1] === "serve";
}

const PACKAGE = /^(?:--package=)?@anygpt\/discovery(?:@[^/\\]*)?$/;
const INSTALLED = /[\\/]@anygpt[\\/]discovery[\\/](?:bin|dist)[\\/]/;
const IMAGE = /^(?:[\w.-]+(?::\d+)?\/)?anygpt\/discovery(?:[:@].*)?$/;
const ANYGPT = /(?:^|[\\/])anygpt(?:\.cmd|\.exe)?$/i;
