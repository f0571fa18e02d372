import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const DISCOVERY = join(ROOT, "bin/discovery.js");
export const ANYGPT = join(ROOT, "bin/anygpt.js");
export const LIBRARY = join(ROOT, "dist/index.js");
export const BARE = join(ROOT, "bench/servers/bare.mjs");
export const SIZED = join(ROOT, "bench/servers/sized.mjs");
export const ECHO = join(ROOT, "test/servers/echo.mjs");
export const officialServer = (name) =>
  join(ROOT, "node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js");
