import { existsSync } from "node:fs";
import { DiscoveryError } from "../../errors.js";

/** How a server's process ended. */
export type ProcessExit =
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "not-started"; readonly error: NodeJS.ErrnoException };

export interface ExitContext {
  readonly server: string;
  readonly command: string;
  readonly cwd?: string;
  readonly stderr: readonly string[];
  /** What may be missing. */
  readonly startHint?: string | undefined;
}

/** Why a server is not running: what a person needs to repair it. */
export function exitError(exit: ProcessExit, context: ExitContext): DiscoveryError {
  return exit.kind === "exited" ? ended(exit, context) : notStarted(exit.error, context);
}

/** "ended with code 1", "was ended by SIGKILL". */
export function describeExit(exit: ProcessExit): string {
  if (exit.kind === "not-started") return `could not be started (${exit.error.code ?? exit.error.message})`;
  return exit.signal === null ? `ended with code ${exit.code ?? "unknown"}` : `was ended by ${exit.signal}`;
}

export function quoteStderr(stderr: readonly string[]): string {
  const last = stderr.at(-1);
  return last === undefined ? "" : ` Its last words: ${last.replace(/[.!\s]+$/, "")}.`;
}

function ended(exit: Extract<ProcessExit, { kind: "exited" }>, context: ExitContext): DiscoveryError {
  const message = `${context.server} ${describeExit(exit)}.${quoteStderr(context.stderr)}`;
  return new DiscoveryError("SERVER_CONNECTION_ERROR", message, {
    hint: [`Run "${context.command}" with its arguments in a terminal to see why it ends.`, context.startHint]
      .filter(Boolean)
      .join(" "),
    facts: { exitCode: exit.code, signal: exit.signal, stderr: context.stderr.slice(-5) },
    server: context.server,
  });
}

function notStarted(error: NodeJS.ErrnoException, context: ExitContext): DiscoveryError {
  const [what, hint] = explain(error, context);
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${context.server} could not be started: ${what}.`, {
    hint,
    facts: { error: error.code ?? "unknown" },
    server: context.server,
    cause: error,
  });
}

function explain(error: NodeJS.ErrnoException, { command, cwd }: ExitContext): [what: string, hint: string] {
  if (cwd !== undefined && !existsSync(cwd)) {
    return [`the working directory ${cwd} does not exist`, 'Create it, or change "cwd" of the server.'];
  }
  const reason = REASONS[error.code ?? ""];
  if (reason !== undefined) return reason(command);
  return [`${command} failed with ${error.code ?? "an unknown error"}`, "Check the command and its arguments."];
}

const notExecutable = (command: string): [string, string] => [
  `the command ${command} may not be executed`,
  "Check that it is a program and that you may run it.",
];
const tooManyFiles = (): [string, string] => [
  "too many files are open",
  "Raise the limit of open files, or use fewer servers at the same time.",
];
const noRoom = (): [string, string] => [
  "the system has no room for another process",
  "Close other programs, or use fewer servers at the same time.",
];

const REASONS: Readonly<Record<string, (command: string) => [what: string, hint: string]>> = {
  ENOENT: (command) => [`the command ${command} was not found`, 'Install it, or give its full path as "command".'],
  EACCES: notExecutable,
  EPERM: notExecutable,
  ENOEXEC: (command) => [
    `${command} is not a program for this machine`,
    "Name the interpreter as the command and the file as its argument.",
  ],
  EMFILE: tooManyFiles,
  ENFILE: tooManyFiles,
  EAGAIN: noRoom,
  ENOMEM: noRoom,
  E2BIG: () => ["its arguments and environment are too large", "Shorten them."],
};
