import type { Connection } from "../model/server.js";
import type { UpstreamOptions } from "./options.js";

/** Commands that fetch what they run: their first start takes as long as the download. */
const INSTALLERS = new Set([
  "npx",
  "npm",
  "pnpm",
  "pnpx",
  "yarn",
  "bunx",
  "bun",
  "uvx",
  "uv",
  "pipx",
  "deno",
  "docker",
  "podman",
]);

/** How long a server may take to be ready. To end an installer early means to download again at the next try. */
export function startLimitMs(connection: Connection, { startTimeoutMs, installTimeoutMs }: UpstreamOptions): number {
  if (connection.kind !== "stdio") return startTimeoutMs;
  const name = connection.command
    .split(/[\\/]/)
    .at(-1)
    ?.replace(/\.(?:exe|cmd)$/i, "");
  return INSTALLERS.has(name ?? "") ? Math.max(startTimeoutMs, installTimeoutMs) : startTimeoutMs;
}
