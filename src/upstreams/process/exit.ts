import { existsSync } from "node:fs";
import { DiscoveryError } from "../../errors.js";
import { findErrorLine } from "./error-line.js";

/** How a server's process ended for us. */
export type ProcessExit =
  /** It may be installing its package and goes on alone; its standard error goes to the file. */
  | { readonly kind: "let-go"; readonly log: string | undefined }
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "not-started"; readonly error: NodeJS.ErrnoException };

export interface ExitContext {
  readonly server: string;
  readonly command: string;
  readonly cwd?: string;
  readonly stderr: readonly string[];
  /** What it wrote to standard output that is not MCP. */
  readonly stdout?: string;
  /** The npx folder whose state explains the failure. */
  readonly brokenNpxFolder?: string | undefined;
  /** What may be missing. */
  readonly startHint?: string | undefined;
}

/** Why a server is not running: what a person needs to repair it. */
export function exitError(exit: ProcessExit, context: ExitContext): DiscoveryError {
  if (exit.kind === "exited") return ended(exit, context);
  return exit.kind === "let-go" ? letGo(exit.log, context) : notStarted(exit.error, context);
}

/** "ended with code 1", "was ended by SIGKILL". */
function describeExit({ code, signal }: Extract<ProcessExit, { kind: "exited" }>): string {
  return signal === null ? `ended with code ${code ?? "unknown"}` : `was ended by ${signal}`;
}

/** ': "Error: Cannot find module"', the line of standard error that explains the most; a full stop without one. */
export function quoteStderr(stderr: readonly string[]): string {
  const found = findErrorLine(stderr);
  return found === undefined ? "." : `: "${found.replace(/[.\s]+$/, "")}".`;
}

function letGo(log: string | undefined, { server }: ExitContext): DiscoveryError {
  const output = log === undefined ? "" : ` Its output is in ${log}.`;
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} is still installing its package.`, {
    hint: `The installation goes on in the background; try again in a minute.${output}`,
    server,
  });
}

function ended(exit: Extract<ProcessExit, { kind: "exited" }>, context: ExitContext): DiscoveryError {
  const { server, command, stderr, stdout, brokenNpxFolder, startHint } = context;
  const message = `${server} ${describeExit(exit)}${quoteStderr(stderr)}`;
  return new DiscoveryError(
    "SERVER_CONNECTION_ERROR",
    brokenNpxFolder === undefined ? message : `${message} Its npx cache folder ${brokenNpxFolder} is broken.`,
    {
      hint:
        brokenNpxFolder === undefined
          ? [`Run "${command}" with its arguments in a terminal to see why it ends.`, startHint]
              .filter(Boolean)
              .join(" ")
          : `Run "anygpt mcp doctor --fix", or remove the folder: ${removalOf(brokenNpxFolder)}`,
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

/** The command of a shell that removes the folder. */
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
