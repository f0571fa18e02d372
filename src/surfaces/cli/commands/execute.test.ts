import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { eventually } from "../../../../test/support/eventually.js";
import { recordsIn } from "../../../../test/support/records.js";
import { nodeServer, processesWith, ROOT, testServer } from "../../../../test/support/gateway.js";

const ECHO = join(ROOT, "test/servers/echo.mjs");

let place: CliPlace;

beforeAll(() => {
  place = createCliPlace();
  place.write(".anygpt/mcp-discovery.config.json", {
    servers: [
      // The folder's name on the command line identifies the process among the servers of other tests.
      { name: "echo", ...testServer("echo.mjs", place.folder) },
      { name: "broken", ...testServer("faulty.mjs", "exit-now") },
    ],
    toolRules: [{ pattern: "crash", enabled: false }],
  });
});
afterAll(() => place.remove());

const execute = (tool: string, args: object, ...flags: string[]) =>
  place.run("mcp", "execute", "echo", tool, "--args", JSON.stringify(args), ...flags);

describe("execute", () => {
  it.each([
    ["text", "echo", { text: "hello\nworld" }, "hello\nworld\n"],
    ["structured content", "add", { a: 1, b: 2 }, "sum: 3\n"],
  ])("prints %s of a success", async (_name, tool, args, result) => {
    expect(await execute(tool, args)).toMatchObject({
      exit: 0,
      stdout: result,
      // A busy machine may show progress in between.
      stderr: expect.stringMatching(new RegExp(`^Executing: echo:${tool}\n\n(.*\n)?✓ Success\n\n$`)) as string,
    });
  });

  it.each([
    ["an error that the tool reports", "fail", {}, 3, "TOOL_EXECUTION_ERROR", "it did not work"],
    ["an unknown tool", "ecko", {}, 2, "TOOL_NOT_FOUND", 'No tool is named "echo:ecko".'],
    ["a disabled tool", "crash", {}, 4, "TOOL_DISABLED", "echo:crash is disabled: rule 1"],
    [
      "arguments that do not fit",
      "add",
      { a: "x" },
      1,
      "TOOL_VALIDATION_ERROR",
      "The arguments do not match the schema of echo:add",
    ],
    ["an error of the protocol", "reject", { code: -32000, message: "nope" }, 3, "TOOL_EXECUTION_ERROR", "nope"],
  ])("reports %s with its code and exit code", async (_name, tool, args, exit, code, message) => {
    const ran = await execute(tool, args);
    expect(ran.exit).toBe(exit);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toContain(`Executing: echo:${tool}\n\n✗ Error\n\nCode: ${code}\nMessage: `);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).toContain(`\nServer: echo\nTool: ${tool}\n`);

    const asJson = await execute(tool, args, "--json");
    expect(asJson.exit).toBe(exit);
    expect(asJson.json()).toMatchObject({ success: false, error: { code, server: "echo", tool } });
  });

  it.each([
    ["an unknown server", "ecko", 2, "SERVER_NOT_FOUND"],
    ["a server that does not start", "broken", 3, "SERVER_CONNECTION_ERROR"],
  ])("of %s fails with its code", async (_name, server, exit, code) => {
    const { exit: actual, stderr } = await place.run("mcp", "execute", server, "echo");
    expect(actual).toBe(exit);
    expect(stderr).toContain(`Code: ${code}\n`);
  });

  it("prints the documented object with --json, with other content next to the value", async () => {
    expect((await execute("add", { a: 1, b: 2 }, "--json")).json()).toEqual({ success: true, result: { sum: 3 } });
    expect((await execute("rich", {}, "--json")).json()).toMatchObject({
      success: true,
      result: { deep: { value: [1, null] } },
      content: [
        { type: "text" },
        { type: "image" },
        { type: "audio" },
        { type: "resource_link" },
        { type: "hologram" },
      ],
    });
  });

  it.each([
    ["the id that search prints", ["echo:add", "a=1", "b=2"]],
    ["server and tool", ["echo", "add", "a=1", "b=2"]],
    ["the tool's name alone, which one server has", ["add", "a=1", "b:=2"]],
    ["words after --", ["echo:add", "--", "a=1", "b=2"]],
  ])("accepts %s and NAME=VALUE arguments", async (_name, words) => {
    expect(await place.run("execute", ...words)).toMatchObject({ exit: 0, stdout: "sum: 3\n" });
  });

  it.each([
    ["an argument of another type", ["echo:add", "a=x", "b=2"], 'The argument "a" must be a number.', "add(a: number"],
    [
      "arguments in two forms",
      ["echo:add", "a=1", "--args", "{}"],
      "NAME=VALUE arguments cannot be combined with --args",
      "",
    ],
  ])("refuses %s before the call", async (_name, words, message, hint) => {
    const ran = await place.run("execute", ...words);
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).toContain(hint);
  });

  it("writes exactly the text of the result with --raw, and only the result with --quiet", async () => {
    const raw = await place.run("execute", "echo:echo", "text=a\u001b[1m\n\nb", "--raw");
    expect(raw).toMatchObject({ exit: 0, stdout: "a\u001b[1m\n\nb", stderr: "" });
    expect(await place.run("execute", "echo:add", "a=1", "b=2", "-q")).toMatchObject({
      stdout: "sum: 3\n",
      stderr: "",
    });
    const onTerminal = await place.runWith({ isTerminal: true }, "execute", "echo:echo", "text=a\u001b[1m", "--raw");
    expect(onTerminal.stdout).toBe("a\\u001b[1m\n");
    expect(await place.run("execute", "echo:fail", "--raw")).toMatchObject({ exit: 3, stdout: "" });
    expect(await place.run("execute", "echo:add", "--raw", "--json")).toMatchObject({ exit: 1 });
  });

  it("saves binary items in numbered files with --output, and text if there are none", async () => {
    const ran = await place.run("execute", "echo:rich", "-o", "shot.bin", "--json");
    expect(ran.json()).toMatchObject({
      saved: [{ file: join(place.folder, "shot-1.bin") }, { file: join(place.folder, "shot-2.bin") }],
    });
    const text = ["execute", "echo:echo", "text=kept", "-o", "note.txt"];
    expect(await place.run(...text)).toMatchObject({ exit: 0, stdout: "" });
    expect(readFileSync(join(place.folder, "note.txt"), "utf8")).toBe("kept");
    const again = await place.run(...text);
    expect(again).toMatchObject({ exit: 1, stderr: expect.stringContaining("note.txt already exists.") as string });
    expect(await place.run(...text, "--force")).toMatchObject({ exit: 0 });
  });

  it("treats missing --args as an empty object", async () => {
    expect(await place.run("mcp", "execute", "echo", "pid")).toMatchObject({ exit: 0 });
  });

  it("reads the arguments from a file or from standard input", async () => {
    place.write("args.json", { text: "from a file" });
    const fromFile = await place.run("mcp", "execute", "echo", "echo", "--args-file", "args.json");
    expect(fromFile.stdout).toBe("from a file\n");
    const stdin = '{"text":"from standard input"}';
    const fromStdin = await place.runWith({ stdin }, "mcp", "execute", "echo", "echo", "--args-file", "-");
    expect(fromStdin.stdout).toBe("from standard input\n");
  });

  it("prints a large result completely", async () => {
    const bytes = 400_000;
    const { json } = await execute("big", { bytes }, "--json");
    expect((json() as { result: string }).result).toHaveLength(bytes);
  });

  it("times out after --timeout", async () => {
    const ran = await execute("sleep", { ms: 60_000 }, "--timeout", "0.2", "--json");
    expect(ran.exit).toBe(3);
    expect(ran.json()).toMatchObject({ error: { code: "TOOL_EXECUTION_TIMEOUT" } });
  });

  it("prints events as they come with --stream, then the result", async () => {
    const { exit, stdout, stderr } = await execute("sleep", { ms: 200, every: 60 }, "--stream");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "slept 200\n" });
    expect(stderr).toMatch(/^Executing: echo:sleep\n\n\[60\/200\]\n(\[\d+\/200\]\n)*\n✓ Success\n\n$/);
  });

  it("prints one JSON object per line with --stream --json", async () => {
    const { stdout } = await execute("log", { message: "half way" }, "--stream", "--json");
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { kind: "log", level: "info", logger: "echo: echo", data: "half way" },
      { success: true, result: "logged" },
    ]);
    const failed = await execute("ecko", {}, "--stream", "--json");
    expect(failed.stdout.trimEnd().split("\n")).toHaveLength(1);
  });

  it("prints no events without --stream", async () => {
    expect((await execute("log", { message: "half way" })).stderr).not.toContain("half way");
  });

  it("shows the wait and the tool's progress on standard error", async () => {
    const argv = ["mcp", "execute", "echo", "sleep", "--args", '{"ms":1500,"every":100}'];
    const { stderr } = await place.runWith({ isTerminal: true, showsProgress: true }, ...argv);
    expect(stderr).toMatch(/Waiting for echo:sleep… \[\d+\/1500\]/);
  });

  it("exits with 130 on Ctrl-C and leaves no process", async () => {
    const stop = new AbortController();
    const onOutput = (text: string): unknown => text.includes("progress") && stop.abort();
    const argv = ["mcp", "execute", "echo", "sleep", "--args", '{"ms":60000,"every":20}', "--stream", "--json"];
    const ran = await place.runWith({ signal: stop.signal, onOutput }, ...argv);
    expect(ran.exit).toBe(130);
    expect(JSON.parse(ran.stdout.trimEnd().split("\n").at(-1)!)).toMatchObject({
      success: false,
      error: { code: "CANCELLED", server: "echo", tool: "sleep" },
    });
    await eventually(() => processesWith(place.folder).length === 0);
  });

  it("records every execution, good or bad", async () => {
    await execute("ecko", {});
    const records = await recordsIn(join(place.folder, "state/store.db"));
    expect(records.at(-1)).toMatchObject({
      surface: "cli",
      tool_id: "echo:ecko",
      error_code: "TOOL_NOT_FOUND",
    });
  });
  it("waits longer for a slow start than for an answer, and records one execution only", async () => {
    const slow = createCliPlace();
    const program = slow.write("slow.mjs", `setTimeout(() => import(${JSON.stringify(ECHO)}), 1500);\n`);
    slow.write(".anygpt/mcp-discovery.config.json", { servers: [{ name: "slow", ...nodeServer(program) }] });
    const argv = ["mcp", "execute", "slow", "echo", "--args", '{"text":"at last"}', "--timeout", "1"];
    const { exit, stdout } = await slow.run(...argv);
    const records = await recordsIn(join(slow.folder, "state/store.db"));
    slow.remove();
    expect(exit).toBe(0);
    expect(stdout).toBe("at last\n");
    expect(records).toHaveLength(1);
  });
});
