import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type Ran } from "../../../test/support/cli.js";
import { eventually } from "../../../test/support/eventually.js";
import { processesWith, testServer } from "../../../test/support/gateway.js";
import type { Stages } from "../../compose.js";
import { createContext } from "./context.js";
import { reportFailure } from "./failure.js";
import { describeAsking, whenEnoughIsKnown } from "./session.js";

describe("whenEnoughIsKnown", () => {
  /** Each wait takes the next of `pending`; the waits that were asked for come back. */
  const waitsFor = async (pending: string[][], servers: string[], signal = new AbortController().signal) => {
    const waits: number[] = [];
    const refresh = {
      pending: () => pending[Math.min(waits.length, pending.length) - 1] ?? [],
      whenKnown: async (ms: number) => void waits.push(ms),
    };
    const snapshot = () => ({
      servers: new Map(servers.map((name) => [name, { tools: name === "manifest" ? [{}] : [] }])),
    });
    await whenEnoughIsKnown({ refresh, snapshot } as unknown as Stages, signal);
    return waits;
  };

  it.each([
    ["stops when all have answered", [[]], ["a", "b"], [5000]],
    ["leaves one behind where another is known", [["b"]], ["a", "b"], [5000]],
    [
      "goes on while nothing is known, until something is",
      [["a", "b"], ["a", "b"], ["a"]],
      ["a", "b"],
      [5000, 500, 500],
    ],
    [
      "leaves all behind where the configuration tells the tools of one",
      [["a", "manifest"]],
      ["a", "manifest"],
      [5000],
    ],
    ["waits for the only server", [["a"], ["a"], []], ["a"], [5000, 500, 500]],
    ["has nothing to wait for without servers", [[]], [], [5000]],
  ])("%s", async (_name, pending, servers, expected) => {
    expect(await waitsFor(pending, servers)).toEqual(expected);
  });

  it("gives up after a minute", async () => {
    const waits = await waitsFor([["a"]], ["a"]);
    expect(waits.reduce((sum, ms) => sum + ms)).toBe(60_000);
  });

  it("ends with the command", async () => {
    expect(await waitsFor([["a"]], ["a"], AbortSignal.abort())).toEqual([5000]);
  });
});

describe("describeAsking", () => {
  it.each([
    [0, 1, ["github"], "Asking 1 of 1 server… github"],
    [2, 12, ["github", "jira"], "Asking 3 of 12 servers… github, jira"],
    [12, 12, [], "Asking 12 of 12 servers… "],
  ])("tells %i of %i", (done, total, names, expected) => {
    expect(describeAsking(done, total, names)).toBe(expected);
  });
});

describe("waiting for servers", () => {
  let place: CliPlace;
  beforeAll(() => {
    place = createCliPlace();
    const servers = [{ name: "hanging", ...testServer("faulty.mjs", "hang-init", place.folder) }];
    place.write(".anygpt/mcp-discovery.config.json", { servers });
  });
  afterAll(() => place.remove());

  it.each([
    ["list", "Asking 1 of 1 server… hanging\n"],
    ["tools hanging", "Asking hanging…\n"],
    // It shows its checks first: Ctrl-C comes with the progress.
    ["doctor", "Asking 1 of 1 server… hanging\n"],
  ])("shows progress in %s, ends with 130 on Ctrl-C, and leaves no process", async (command, progress) => {
    const stop = new AbortController();
    const onOutput = (text: string): unknown => text.includes("Asking") && stop.abort();
    const { exit, stdout, stderr } = await place.runWith(
      { signal: stop.signal, onOutput },
      "mcp",
      ...command.split(" "),
    );
    expect(exit).toBe(130);
    const isReported = command === "doctor";
    expect(stdout).toMatch(isReported ? /\n\n! Interrupted: 1 not asked to the end\.\n$/ : /^$/);
    expect(stderr).toBe(isReported ? progress : `${progress}✗ The command was interrupted.\n`);
    await eventually(() => processesWith(place.folder).length === 0);
  });
});

describe("a first-time server that hangs beside one that answers", () => {
  const answers = new Map<string, Ran>();
  const commands = ["list", "list --json", "search add numbers", "search add numbers --json"];
  let place: CliPlace;
  beforeAll(async () => {
    place = createCliPlace({
      servers: [
        { name: "echo", ...testServer("echo.mjs") },
        { name: "hanging", ...testServer("faulty.mjs", "hang-init") },
      ],
    });
    const run = async (command: string) => answers.set(command, await place.run("mcp", ...command.split(" ")));
    await Promise.all(commands.map(run));
  });
  afterAll(() => place.remove());

  it.each(commands)("does not hold up %s, which shows progress meanwhile", (command) => {
    expect(answers.get(command)?.exit).toBe(0);
    expect(answers.get(command)?.stderr).toMatch(/^Asking \d of 2 servers… .*hanging\n/);
  });

  it.each(["list", "search add numbers"])("is named by %s", (command) => {
    expect(answers.get(command)?.stdout).toContain("echo");
    expect(answers.get(command)?.stderr).toContain("\n! Still being asked: hanging. Try again in a while, or");
  });

  it.each(["list --json", "search add numbers --json"])("is named by %s", (command) => {
    expect(answers.get(command)?.json()).toMatchObject({ pending: ["hanging"] });
  });
});

describe("serve", () => {
  it("answers an MCP client on standard output and logs on standard error only", async () => {
    const place = createCliPlace({ servers: [{ name: "echo", ...testServer("echo.mjs") }] });
    const stop = new AbortController();
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    };
    const stdin = new PassThrough();
    stdin.write(`${JSON.stringify(initialize)}\n`);
    const onOutput = (text: string): void => {
      if (text.includes('"id":1')) stop.abort();
    };
    const { exit, stdout } = await place.runWith({ stdin, onOutput, signal: stop.signal }, "mcp", "serve");
    place.remove();
    expect(exit).toBe(0);
    for (const line of stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });
});

describe("--verbose", () => {
  it("shows the log, which is silent otherwise", async () => {
    const list = async (...flags: string[]): Promise<Ran> => {
      const place = createCliPlace({ servers: [{ name: "broken", ...testServer("faulty.mjs", "exit-now") }] });
      const ran = await place.run("mcp", "list", ...flags);
      place.remove();
      return ran;
    };
    expect((await list()).stderr).not.toContain("No tools from broken");
    expect((await list("--verbose")).stderr).toContain("No tools from broken: broken ended with code 7.");
  });
});

describe("a defect", () => {
  it("is told with its code, the end of the log and the stack on standard error", () => {
    const written = { stdout: "", stderr: "" };
    const context = createContext(
      {
        stdin: new PassThrough(),
        stdout: new PassThrough().on("data", (chunk) => (written.stdout += String(chunk))),
        stderr: { write: (text) => (written.stderr += text) },
        env: {},
        cwd: "/",
        isTerminal: { stdout: false, stderr: false },
        columns: 80,
        signal: new AbortController().signal,
      },
      { isJson: false, isVerbose: false, isColorless: true },
    );
    for (let number = 1; number <= 25; number += 1) context.log(`message ${number}`);
    expect(reportFailure(new TypeError("a is not a function"), context)).toBe(3);
    expect(written.stderr).toMatch(/^✗ The gateway failed to carry out the request\.\n/);
    expect(written.stderr).not.toContain("message 5\n");
    expect(written.stderr).toContain("  message 6\n");
    expect(written.stderr).toContain("  TypeError: a is not a function\n      at ");
  });
});
