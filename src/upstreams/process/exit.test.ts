import { expect, it } from "vitest";
import { exitError, type ProcessExit } from "./exit.js";

const notStarted = (code: string): ProcessExit => ({
  kind: "not-started",
  error: Object.assign(new Error("spawn"), { code }),
});
const context = { server: "github", command: "gh-mcp", stderr: ["starting", "no token set!"] };

it.each<[string, ProcessExit, string]>([
  ["a code", { kind: "exited", code: 1, signal: null }, 'github exited with code 1: "no token set!".'],
  ["a signal", { kind: "exited", code: null, signal: "SIGKILL" }, 'github was killed by SIGKILL: "no token set!".'],
  ["a missing command", notStarted("ENOENT"), "github could not be started: the command gh-mcp was not found."],
  [
    "a file that is not executable",
    notStarted("EACCES"),
    "github could not be started: the command gh-mcp cannot be executed.",
  ],
  [
    "a program for another machine",
    notStarted("ENOEXEC"),
    "github could not be started: gh-mcp is not an executable for this machine.",
  ],
  ["too many files", notStarted("EMFILE"), "github could not be started: too many files are open."],
  [
    "a system without resources",
    notStarted("ENOMEM"),
    "github could not be started: the system cannot create another process.",
  ],
  [
    "a command line that is too long",
    notStarted("E2BIG"),
    "github could not be started: its arguments and environment are too large.",
  ],
  ["another system error", notStarted("EWHAT"), "github could not be started: gh-mcp failed with EWHAT."],
])("explains %s", (_name, exit, message) => {
  const error = exitError(exit, context);
  expect(error).toMatchObject({ code: "SERVER_CONNECTION_ERROR", message, server: "github" });
  expect(error.hint).toBeTruthy();
});

it("reports a missing working directory instead of a missing command", () => {
  const error = exitError(notStarted("ENOENT"), { ...context, cwd: "/nowhere/at/all" });
  expect(error.message).toBe("github could not be started: the working directory /nowhere/at/all does not exist.");
});

it("quotes nothing if the process wrote nothing", () => {
  const error = exitError({ kind: "exited", code: 0, signal: null }, { ...context, stderr: [] });
  expect(error.message).toBe("github exited with code 0.");
});
