import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FaultHome } from "./home.js";

const LAUNCH = fileURLToPath(new URL("./launch.mjs", import.meta.url));
const LIMIT_MS = 120_000;
const MAX_OUTPUT = 256 * 1024 * 1024;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandPlace {
  readonly dist: string;
  readonly config?: string;
}

/** Runs `anygpt mcp WORDS…` of the built package in that home folder. */
export function runCommand(home: FaultHome, place: CommandPlace, words: readonly string[]): Promise<Ran> {
  const all = [LAUNCH, place.dist, "anygpt", "mcp", ...words, "--config", place.config ?? home.config];
  const options = { env: home.env, cwd: home.folder, timeout: LIMIT_MS, maxBuffer: MAX_OUTPUT };
  return new Promise((resolve) => {
    execFile(process.execPath, all, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}
