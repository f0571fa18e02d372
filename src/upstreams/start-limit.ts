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
  const isInstaller = wordsOf(connection.command, connection.args).some((word) => INSTALLERS.has(programOf(word)));
  return isInstaller ? Math.max(startTimeoutMs, installTimeoutMs) : startTimeoutMs;
}

const WRAPPERS = new Set(["sh", "bash", "zsh", "dash", "cmd", "env", "powershell", "pwsh"]);

/** The command, and if it only runs another one, the words of that. */
function wordsOf(command: string, args: readonly string[]): string[] {
  return WRAPPERS.has(programOf(command)) ? args.flatMap((arg) => arg.split(/\s+/)) : [command];
}

function programOf(word: string): string {
  const name = word.split(/[\\/]/).at(-1) ?? word;
  return name.toLowerCase().replace(/\.(?:exe|cmd)$/, "");
}
