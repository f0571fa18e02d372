import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type Ran } from "../../../test/support/cli.js";
import { eventually } from "../../../test/support/eventually.js";
import { processesWith, testServer } from "../../../test/support/gateway.js";
import { createContext } from "./context.js";
import { reportFailure } from "./failure.js";
import { describeAsking } from "./session.js";

describe("describeAsking", () => {
  it.each([
    [0, 1, ["github"], "Checking 1 of 1 server… github"],
    [2, 12, ["github", "jira"], "Checking 3 of 12 servers… github, jira"],
    [12, 12, [], "Checking 12 of 12 servers… "],
  ])("describes %i of %i", (done, total, names, expected) => {
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
    ["list", "Waiting for 1 of 1 server\n  hanging: starting\n"],
    ["tools hanging", "Requesting the tools of hanging…\n"],
    // Doctor prints its checks first; Ctrl-C is sent when the progress appears.
    ["doctor", "Checking 1 of 1 server… hanging\n"],
  ])("shows progress in %s, ends with 130 on Ctrl-C, and leaves no process", async (command, progress) => {
    const stop = new AbortController();
    const onOutput = (text: string): unknown => /Requesting|Checking|Waiting/.test(text) && stop.abort();
    const { exit, stdout, stderr } = await place.runWith(
      { signal: stop.signal, onOutput, showsProgress: true },
      "mcp",
      ...command.split(" "),
    );
    expect(exit).toBe(130);
    const isReported = command === "doctor";
    expect(stdout).toMatch(isReported ? /\n\n! Interrupted: 1 server not checked\.\n$/ : /^$/);
    expect(stderr).toBe(isReported ? progress : `${progress}✗ The command was interrupted.\n`);
    await eventually(() => processesWith(place.folder).length === 0);
  });
});

describe("a new server that hangs, next to one that answers", () => {
  const answers = new Map<string, Ran>();
  const commands = ["list", "list --json", "search add numbers", "search add numbers --json"];
  const servers = [
    { name: "echo", ...testServer("echo.mjs") },
    { name: "hanging", ...testServer("faulty.mjs", "hang-init") },
  ];
  // Each command has its own home folder, because commands with the same home share stored server failures.
  const places = new Map(commands.map((command) => [command, createCliPlace({ servers })]));
  const run = async (command: string, showsProgress = false): Promise<Ran> =>
    await places.get(command)!.runWith({ showsProgress }, "mcp", ...command.split(" "));
  beforeAll(async () => {
    await Promise.all(commands.map(async (command) => answers.set(command, await run(command, true))));
  });
  afterAll(() => places.forEach((place) => place.remove()));

  it.each(commands)("does not hold up %s, which shows progress meanwhile, except to programs", (command) => {
    const { exit, stderr = "" } = answers.get(command) ?? {};
    expect(exit).toBe(0);
    const progress = /^Waiting for \d of 2 servers\n[^!]* {2}hanging: starting\n/;
    expect(stderr).toMatch(command.endsWith("--json") ? /^$/ : progress);
  });

  it.each([
    [
      "list",
      /^✗ hanging: did not answer within \d+ s\.\n! 1 failed server was not started again \(next attempt in .*\.$/,
    ],
    ["search add numbers", /^! 1 server failed: hanging\. Run `anygpt mcp doctor` to see why\.$/],
  ])("is not started again by the next %s, which reports that", async (command, said) => {
    const { exit, stderr } = await run(command);
    expect(exit).toBe(0);
    const rows = stderr.split("\n").filter((row) => row.includes("hanging") || row.includes("not started again"));
    expect(rows.join("\n")).toMatch(said);
  });

  it.each(["list", "search add numbers"])("is named by %s", (command) => {
    expect(answers.get(command)?.stdout).toContain("echo");
    expect(answers.get(command)?.stderr).toMatch(
      /\n! No answer yet from 1 server: hanging \(starting \d+ s\)\. Run `anygpt mcp doctor` to see why\.\n/,
    );
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
    expect((await list("--verbose")).stderr).toContain("No tools from broken: broken exited with code 7: ");
  });
});

describe("a defect", () => {
  it("is reported with its code, the last log messages and the stack on standard error", () => {
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
    expect(written.stderr).toMatch(/^✗ The gateway failed to process the request because of a defect\.\n/);
    expect(written.stderr).not.toContain("message 5\n");
    expect(written.stderr).toContain("  message 6\n");
    expect(written.stderr).toContain("  TypeError: a is not a function\n      at ");
  });
});
