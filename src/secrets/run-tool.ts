import { execFile } from "node:child_process";
import { existsSync } from "node:fs";

/** A program to run, with its arguments and its standard input. */
export interface ToolCall {
  readonly program: string;
  readonly args: readonly string[];
  /** The text for standard input. The default is empty. */
  readonly input?: string;
}

export type ToolResult =
  | { readonly kind: "ended"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "missing" }
  | { readonly kind: "too-slow"; readonly limitMs: number }
  | { readonly kind: "too-much" }
  | { readonly kind: "failed"; readonly error: string };

export interface SecretToolParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working folder of the programs. It must not be a project folder, which may contain untrusted programs. */
  readonly cwd: string;
  readonly timeoutMs?: number;
}

export type RunTool = (call: ToolCall) => Promise<ToolResult>;

/** Time limit for a program: long enough for a user to touch a sensor or type a password. */
const TIMEOUT_MS = 60_000;
export const MAX_OUTPUT_BYTES = 64 * 1024;

/** Runs programs without a shell. */
export function createRunTool({ env, cwd, timeoutMs = TIMEOUT_MS }: SecretToolParts): RunTool {
  return ({ program, args, input = "" }) =>
    new Promise((resolve) => {
      const limits = { timeout: timeoutMs, maxBuffer: MAX_OUTPUT_BYTES, killSignal: "SIGKILL" } as const;
      const options = { ...limits, env: { ...env }, cwd, windowsHide: true, encoding: "utf8" } as const;
      const child = execFile(program, [...args], options, (error, stdout, stderr) => {
        if (error === null) return resolve({ kind: "ended", code: 0, stdout, stderr });
        const code = (error as { readonly code?: string | number | null }).code;
        if (typeof code === "number") return resolve({ kind: "ended", code, stdout, stderr });
        // Node reports a missing working folder as a missing program.
        if (code === "ENOENT" && !existsSync(cwd)) {
          return resolve({ kind: "failed", error: `the folder ${cwd} does not exist` });
        }
        if (code === "ENOENT") return resolve({ kind: "missing" });
        if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return resolve({ kind: "too-much" });
        if (error.killed === true) return resolve({ kind: "too-slow", limitMs: timeoutMs });
        resolve({ kind: "failed", error: code ?? error.signal ?? "unknown reason" });
      });
      // Ignore EPIPE: a program that does not read its input may close it.
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(input);
    });
}
