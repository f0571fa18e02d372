import { existsSync } from "node:fs";
import { DiscoveryError } from "../../errors.js";
import type { NextStep } from "../../model/next-steps.js";
import { findErrorLine } from "./error-line.js";
import { type ExitedServer, hintFor } from "./exit-hint.js";

/** How a server process ended, from the gateway's point of view. */
export type ProcessExit =
  /**
   * Detached: the process may still be installing its package and continues in the background. `log` is the file that
   * receives its standard error.
   */
  | { readonly kind: "detached"; readonly log: string | undefined }
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "not-started"; readonly error: NodeJS.ErrnoException };

export interface ExitContext {
  readonly server: string;
  readonly command: string;
  readonly cwd?: string;
  readonly stderr: readonly string[];
  /** Lines on standard output that are not MCP messages. */
  readonly stdout?: string;
  /** The broken npx cache folder that explains the failure. */
  readonly brokenNpxFolder?: string | undefined;
  /** The log that npm wrote, set when the process wrote nothing to standard error. */
  readonly npmLog?: { readonly file: string; readonly line: string | undefined } | undefined;
  /** A hint about a requirement of the server that may be missing. */
  readonly startHint?: string | undefined;
  readonly args?: ExitedServer["args"];
  readonly childEnv?: ExitedServer["childEnv"];
  readonly gatewayEnv?: ExitedServer["gatewayEnv"];
}

/** Explains why a server is not running and what the user can do about it. */
export function exitError(exit: ProcessExit, context: ExitContext): DiscoveryError {
  if (exit.kind === "exited") return ended(exit, context);
  return exit.kind === "detached" ? detach(exit.log, context) : notStarted(exit.error, context);
}

/** For example "exited with code 1" or "was killed by SIGKILL". */
function describeExit({ code, signal }: Extract<ProcessExit, { kind: "exited" }>): string {
  return signal === null ? `exited with code ${code ?? "unknown"}` : `was killed by ${signal}`;
}

/**
 * Returns for example ': "Error: Cannot find module".' with the line of standard error that explains the failure, or
 * "." without one.
 */
export function quoteStderr(stderr: readonly string[]): string {
  const found = findErrorLine(stderr);
  return found === undefined ? "." : `: "${found.replace(/[.\s]+$/, "")}".`;
}

function detach(log: string | undefined, { server }: ExitContext): DiscoveryError {
  const output = log === undefined ? [] : [{ action: "edit-file", path: log, change: "read" } as const];
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} is still installing its package.`, {
    hint: [{ action: "retry", afterSeconds: 60 }, "The installation continues in the background.", ...output],
    server,
  });
}

function ended(exit: Extract<ProcessExit, { kind: "exited" }>, context: ExitContext): DiscoveryError {
  const { server, command, stdout, brokenNpxFolder, startHint, npmLog } = context;
  const stderr = npmLog?.line === undefined ? context.stderr : [npmLog.line];
  const message = `${server} ${describeExit(exit)}${quoteStderr(stderr)}`;
  const nextStep: string | NextStep =
    npmLog === undefined
      ? `Run "${command}" with its arguments in a terminal to see why it ends.`
      : { action: "edit-file", path: npmLog.file, change: "read" };
  return new DiscoveryError(
    "SERVER_CONNECTION_ERROR",
    brokenNpxFolder === undefined ? message : `${message} Its npx cache folder ${brokenNpxFolder} is broken.`,
    {
      hint:
        brokenNpxFolder === undefined
          ? [hintFor(context) ?? nextStep, startHint ?? ""]
          : [
              { action: "run-command", command: "anygpt mcp doctor --fix", purpose: "repair it" },
              {
                action: "run-command",
                command: removalOf(brokenNpxFolder),
                purpose: "remove the folder by hand instead",
              },
            ],
      facts: {
        exitCode: exit.code,
        signal: exit.signal,
        stderr: stderr.slice(-5),
        ...(stdout === undefined ? {} : { stdout }),
        ...(brokenNpxFolder === undefined ? {} : { brokenNpxFolder }),
      },
      server,
    },
  );
}

/** The shell command that removes the folder. */
function removalOf(folder: string): string {
  return process.platform === "win32" ? `rmdir /s /q "${folder}"` : `rm -r '${folder.replaceAll("'", "'\\''")}'`;
}

function notStarted(error: NodeJS.ErrnoException, context: ExitContext): DiscoveryError {
  const [what, hint] = explain(error, context);
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${context.server} could not be started: ${what}.`, {
    hint,
    facts: { error: error.code ?? "unknown", ...(context.stdout === undefined ? {} : { stdout: context.stdout }) },
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
  `the command ${command} cannot be executed`,
  "Check that the file is a program and that you have permission to run it.",
];
const tooManyFiles = (): [string, string] => [
  "too many files are open",
  "Raise the limit of open files, or use fewer servers at the same time.",
];
const noResources = (): [string, string] => [
  "the system cannot create another process",
  "Close other programs, or use fewer servers at the same time.",
];

const REASONS: Readonly<Record<string, (command: string) => [what: string, hint: string]>> = {
  ENOENT: (command) => [`the command ${command} was not found`, 'Install it, or give its full path as "command".'],
  EACCES: notExecutable,
  EPERM: notExecutable,
  ENOEXEC: (command) => [
    `${command} is not an executable for this machine`,
    "Name the interpreter as the command and the file as its argument.",
  ],
  EMFILE: tooManyFiles,
  ENFILE: tooManyFiles,
  EAGAIN: noResources,
  ENOMEM: noResources,
  E2BIG: () => [
    "its arguments and environment are too large",
    "Shorten the arguments, or pass fewer environment variables.",
  ],
};
