import { expect, it } from "vitest";
import { exitError, type ProcessExit } from "./exit.js";

const notStarted = (code: string): ProcessExit => ({
  kind: "not-started",
  error: Object.assign(new Error("spawn"), { code }),
});
const context = { server: "github", command: "gh-mcp", stderr: ["starting", "no token set!"] };

it.each<[string, ProcessExit, string]>([
  ["a code", { kind: "exited", code: 1, signal: null }, 'github ended with code 1: "no token set!".'],
  ["a signal", { kind: "exited", code: null, signal: "SIGKILL" }, 'github was ended by SIGKILL: "no token set!".'],
  ["a missing command", notStarted("ENOENT"), "github could not be started: the command gh-mcp was not found."],
  [
    "a file that is no program",
    notStarted("EACCES"),
    "github could not be started: the command gh-mcp may not be executed.",
  ],
  [
    "a foreign program",
    notStarted("ENOEXEC"),
    "github could not be started: gh-mcp is not a program for this machine.",
  ],
  ["too many files", notStarted("EMFILE"), "github could not be started: too many files are open."],
  ["no room", notStarted("ENOMEM"), "github could not be started: the system has no room for another process."],
  [
    "too long a command line",
    notStarted("E2BIG"),
    "github could not be started: its arguments and environment are too large.",
  ],
  ["anything else", notStarted("EWHAT"), "github could not be started: gh-mcp failed with EWHAT."],
])("explains the end by %s", (_name, exit, message) => {
  const error = exitError(exit, context);
  expect(error).toMatchObject({ code: "SERVER_CONNECTION_ERROR", message, server: "github" });
  expect(error.hint).toBeTruthy();
});

it("blames a working directory that does not exist instead of the command", () => {
  const error = exitError(notStarted("ENOENT"), { ...context, cwd: "/nowhere/at/all" });
  expect(error.message).toBe("github could not be started: the working directory /nowhere/at/all does not exist.");
});

it("quotes nothing when there is no output", () => {
  const error = exitError({ kind: "exited", code: 0, signal: null }, { ...context, stderr: [] });
  expect(error.message).toBe("github ended with code 0.");
});
