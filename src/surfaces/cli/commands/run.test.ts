import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { testServer } from "../../../../test/support/gateway.js";
import { sampleFile } from "../../../../test/support/signed-files.js";
import { definitionHash, type ToolFile } from "../../../toolfiles/format/tool-file.js";
import { toToolFileText } from "../../../toolfiles/format/to-text.js";

let place: CliPlace;
const run = (...argv: string[]) => place.run("mcp", "run", ...argv);

/** A tool of the echo server, as discovery would describe it. */
function echoFile(name: string, properties: Record<string, object>, changes: Partial<ToolFile> = {}): ToolFile {
  const tool = { name, description: `Does ${name}.`, inputSchema: { type: "object", properties } };
  return sampleFile({
    toolId: `demo_${name}`,
    server: "demo",
    tool,
    definitionHash: definitionHash(tool),
    connection: { kind: "stdio", ...testServer("echo.mjs", place.folder), env: {} },
    risk: "low",
    ...changes,
  });
}

beforeAll(async () => {
  place = createCliPlace();
  const number = { type: "number" };
  const files = [
    echoFile("add", { a: number, b: number }),
    echoFile("echo", { text: { type: "string" } }),
    echoFile("fail", {}),
    echoFile("append", { file: { type: "string" }, line: { type: "string" } }, { risk: "destructive" }),
    echoFile(
      "env",
      {},
      {
        needs: [{ name: "DEMO_KEY", description: "from https://demo.example", required: true }],
        connection: { kind: "stdio", ...testServer("echo.mjs"), env: { DEMO_KEY: "${DEMO_KEY}" } },
      },
    ),
  ];
  mkdirSync(join(place.folder, ".ai/tools/mcp"), { recursive: true });
  const write = (file: ToolFile) =>
    writeFileSync(join(place.folder, ".ai/tools/mcp", `${file.toolId}.yaml`), toToolFileText(file));
  files.forEach(write);
  await place.run("mcp", "sign", "--yes", ...files.map(({ toolId }) => toolId));
  write(echoFile("pid", {}));
});
afterAll(() => place.remove());

describe("run", () => {
  it.each([
    ["parameters by their types", ["a=1", "b=2.5"]],
    ["parameters as JSON", ["a:=1", "b:=2.5"]],
    ["an object", ["--params", '{"a":1,"b":2.5}']],
    ["a file", ["--params-file", "params.json"]],
  ])("executes the tool of a file with %s, and reports it like execute", async (_name, words) => {
    place.write("params.json", { a: 1, b: 2.5 });
    expect(await run("demo_add", ...words)).toMatchObject({
      exit: 0,
      stdout: "sum: 3.5\n",
      stderr: expect.stringMatching(/^Executing: demo:add\n\n(.*\n)?✓ Success\n\n$/) as string,
    });
  });

  it("reads standard input", async () => {
    const ran = await place.runWith(
      { stdin: '{"text":"hi"}' },
      "mcp",
      "run",
      "demo_echo",
      "--params-file",
      "-",
      "--json",
    );
    expect(ran.json()).toEqual({ success: true, result: "hi" });
  });

  it("means a tool by its real name before another whose file is called so, as execute does", async () => {
    const own = createCliPlace();
    const file = (toolId: string, name: string) =>
      toToolFileText(echoFile(name, { text: { type: "string" } }, { toolId }));
    own.write(".ai/tools/mcp/echo.yaml", file("echo", "add"));
    own.write(".ai/tools/mcp/other.yaml", file("other", "echo"));
    await own.run("mcp", "sign", "echo", "other", "--yes");
    for (const words of [
      ["run", "echo"],
      ["execute", "demo", "echo", "--args", "{}"],
    ]) {
      expect((await own.run("mcp", ...words, "--dry-run")).stderr).toContain("Dry run: demo:echo");
    }
    own.remove();
  });

  it("accepts the complete id of a tool too", async () => {
    expect((await run("demo:echo", "text=hi")).stdout).toBe("hi\n");
  });

  it.each([
    ["a misspelt tool", ["demo_ad"], 2, "Did you mean demo_add"],
    ["a tool that is nowhere", ["zzzzzz"], 2, "Run `anygpt mcp discover --help` to see how to create tool files."],
    [
      "a file that nobody has signed",
      ["demo_pid"],
      2,
      "is not signed.\n  Review the file. Run `anygpt mcp sign demo_pid` to sign it.",
    ],
    ["a misspelt parameter", ["demo_echo", "txet=1"], 1, "Did you mean text?"],
    ["a parameter of another type", ["demo_add", "a=one"], 1, 'The argument "a" must be a number.'],
    [
      "parameters twice",
      ["demo_add", "a=1", "--params", "{}"],
      1,
      "NAME=VALUE parameters cannot be combined with --params",
    ],
    ["what is no JSON", ["demo_add", "--params", "{"], 1, "--params is not JSON: line 1, column 2"],
    ["a repeated parameter", ["demo_add", "a=1", "a=2"], 1, "occurs 2 times"],
  ])("rejects %s with a hint", async (_name, words, exit, message) => {
    const ran = await run(...words);
    expect(ran.exit).toBe(exit);
    expect(ran.stdout + ran.stderr).toContain(message);
  });

  it("reports as JSON why a file is rejected", async () => {
    const ran = await run("demo_pid", "--json");
    expect(ran.json()).toMatchObject({ error: { code: "SIGNATURE_INVALID", reason: "unsigned" } });
  });

  it("guards calls as execute does", async () => {
    expect((await run("demo_fail")).exit).toBe(3);
    const file = join(place.folder, "out.txt");
    const asked = await run("demo_append", `file=${file}`, "line=x", "--json");
    expect(asked.json()).toMatchObject({ error: { code: "CONFIRMATION_REQUIRED" } });
    expect((await run("demo_append", `file=${file}`, "line=x", "--dry-run")).stderr).toContain("Dry run: demo:append");
    expect((await run("demo_append", `file=${file}`, "line=x", "--confirmed")).exit).toBe(0);
  });

  it("names a missing variable with its description, and fails only that tool", async () => {
    const ran = await run("demo_env");
    expect(ran.exit).not.toBe(0);
    expect(ran.stderr).toContain("DEMO_KEY");
    place.write(".ai/.env", "DEMO_KEY=open-sesame\n");
    expect((await run("demo_env")).exit).toBe(0);
    expect((await run("demo_echo", "text=hi")).exit).toBe(0);
  });

  it("completes the ids of tool files", async () => {
    const { stdout } = await place.run("__complete", "--", "mcp", "run", "demo_a");
    expect(stdout).toBe("demo_add\ndemo_append\n");
  });
});
