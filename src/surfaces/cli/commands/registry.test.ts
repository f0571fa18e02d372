import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, toolServer } from "../../../../test/support/cli.js";
import { testServer } from "../../../../test/support/gateway.js";
import type { DiscoveryError } from "../../../errors.js";
import { createInput, type Handler } from "../command.js";
import { createContext } from "../context.js";
import { checkExported, exportRegistry } from "./registry.js";

const TOOLS = [
  {
    name: "create_issue",
    description: "Create an issue",
    inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
  },
  { name: "list_repos", description: "List", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
  { name: "delete_repo", description: "Delete", inputSchema: { type: "object" } },
];

let place: CliPlace;

beforeAll(() => {
  place = createCliPlace();
  place.write(".anygpt/mcp-discovery.config.json", {
    servers: [
      { name: "github", ...toolServer(place, "github", { tools: TOOLS }) },
      { name: "broken", ...testServer("faulty.mjs", "exit-now") },
    ],
    toolRules: [{ pattern: "*delete*", enabled: false }],
  });
});
afterAll(() => place.remove());

async function run(handler: Handler, values: object, { isJson = false, env = {} } = {}) {
  const output = { stdout: "", stderr: "" };
  const context = createContext(
    {
      stdin: Readable.from([]),
      stdout: new Writable({
        decodeStrings: false,
        write: (chunk, _encoding, done) => {
          output.stdout += String(chunk);
          done();
        },
      }),
      stderr: { write: (text: string) => (output.stderr += text) },
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: place.folder,
        ANYGPT_HOME: join(place.folder, "state"),
        ANYGPT_TRUST_PROJECT: "1",
        ...env,
      },
      cwd: place.folder,
      isTerminal: { stdout: false, stderr: false },
      columns: 80,
      signal: new AbortController().signal,
    },
    { isJson, isVerbose: false, isColorless: true },
  );
  const exit = (await handler(createInput({ ...values }), context)) ?? 0;
  return { exit, ...output };
}

const read = (file: string) =>
  JSON.parse(readFileSync(file, "utf8")) as { operations: Record<string, Record<string, unknown>> };

describe("registry export", () => {
  it("writes every enabled operation, names omitted servers, and is deterministic", async () => {
    const { exit, stdout, stderr } = await run(exportRegistry, {});
    const file = join(place.folder, "operations.json");
    expect([exit, stdout]).toEqual([0, `✓ 2 operations written to ${file}.\n`]);
    expect(stderr).toContain("Servers not exported, because their tools are not known: broken.");
    const first = readFileSync(file, "utf8");
    expect(read(file)).toMatchObject({
      schema_version: "1.0.0",
      operation_count: 2,
      operations: {
        "github:create_issue": { risk_level: "medium", required_params: ["title"], idempotency_required: false },
        "github:list_repos": { risk_level: "low" },
      },
    });
    await run(exportRegistry, {});
    const withoutTime = (text: string): string => text.replace(/"last_verified_at": "[^"]+"/, "");
    expect(withoutTime(readFileSync(file, "utf8"))).toBe(withoutTime(first));
  });

  it("writes to MCP_REGISTRY_PATH unless --file is passed", async () => {
    const env = { MCP_REGISTRY_PATH: "from-env.json" };
    await run(exportRegistry, {}, { env });
    expect(existsSync(join(place.folder, "from-env.json"))).toBe(true);
    const { stdout } = await run(exportRegistry, { file: "named.json" }, { env, isJson: true });
    expect(JSON.parse(stdout)).toEqual({
      file: join(place.folder, "named.json"),
      operation_count: 2,
      unknown: ["broken"],
    });
  });

  it("does not overwrite another file without --force", async () => {
    const file = place.write("notes.json", '{"mine":true}');
    await expect(run(exportRegistry, { file })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(readFileSync(file, "utf8")).toBe('{"mine":true}');
    await run(exportRegistry, { file, force: true });
    expect(read(file)).toHaveProperty("operations");
    expect(statSync(file).isFile()).toBe(true);
  });

  it("reports a file that cannot be written", async () => {
    const failure = await run(exportRegistry, { file: "no/such/folder/x.json" }).catch((e: DiscoveryError) => e);
    expect(failure).toMatchObject({ code: "INVALID_REQUEST", message: expect.stringContaining("ENOENT") });
  });
});

describe("registry check", () => {
  it("finds nothing wrong with a fresh export", async () => {
    await run(exportRegistry, { file: "fresh.json" });
    const { exit, stdout, stderr } = await run(checkExported, { file: "fresh.json" });
    expect([exit, stdout]).toEqual([
      0,
      `✓ ${join(place.folder, "fresh.json")}: all 2 operations match the live catalog.\n`,
    ]);
    expect(stderr).toContain("Servers not checked, because their tools are not known: broken.");
  });

  it("lists every operation that differs or is missing", async () => {
    await run(exportRegistry, { file: "stale.json" });
    const { operations, ...head } = read(join(place.folder, "stale.json"));
    const { "github:list_repos": list, "github:create_issue": create } = operations;
    const stale = { "github:create_issue": { ...create, risk_level: "low" }, "github:gone": list };
    place.write("stale.json", { ...head, operations: stale });
    const { exit, stdout, stderr } = await run(checkExported, { file: "stale.json" });
    expect(exit).toBe(2);
    expect(stdout).toContain("✗ github:create_issue: differs from the live catalog: risk_level.");
    expect(stdout).toContain("✗ github:gone: its adapter has no such tool.");
    expect(stderr).toContain("1 operation missing from the file: github:list_repos");
    const json = await run(checkExported, { file: "stale.json" }, { isJson: true });
    expect(JSON.parse(json.stdout)).toMatchObject({
      findings: [
        { tool_id: "github:create_issue", check: "agrees" },
        { tool_id: "github:gone", check: "exists" },
      ],
      added: ["github:list_repos"],
      unknown: ["broken"],
    });
  });

  it("reports a file that is not JSON or does not exist", async () => {
    place.write("bad.json", "{");
    expect((await run(checkExported, { file: "bad.json" })).stdout).toContain("✗ the file is not valid JSON.");
    await expect(run(checkExported, { file: "none.json" })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });
});
