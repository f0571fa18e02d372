import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  compareRegistry,
  type DiscoveryConfig,
  DiscoveryEngine,
  evaluateSearch,
  exportToolFiles,
  installToolFiles,
  openAudit,
  openPins,
  readEvalSet,
  signToolFiles,
  verifyToolFiles,
  writeRegistry,
} from "../src/index.js";
import { toToolFileText } from "../src/toolfiles/format/to-text.js";
import { testServer } from "./support/gateway.js";
import { sampleFile } from "./support/signed-files.js";

let folder: string;
const engines: DiscoveryEngine[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "library-operations-"));
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** The options of a user with separate folders. */
function optionsOf(name: string) {
  const cwd = join(folder, name);
  mkdirSync(join(cwd, ".ai/tools/mcp"), { recursive: true });
  return { cwd, env: { HOME: cwd, PATH: process.env["PATH"] }, stateFolder: join(cwd, "state") };
}

function open(name: string, servers: NonNullable<DiscoveryConfig["servers"]> = {}): DiscoveryEngine {
  const engine = new DiscoveryEngine({ servers }, optionsOf(name));
  engines.push(engine);
  return engine;
}

describe("tool files", () => {
  it("are signed, verified, exported and installed without a terminal", async () => {
    const ann = open("ann");
    const { toolId } = sampleFile();
    writeFileSync(join(folder, "ann/.ai/tools/mcp", `${toolId}.yaml`), toToolFileText(sampleFile()));
    expect(await verifyToolFiles(ann)).toMatchObject({ isGood: false, files: [{ toolId, kind: "refused" }] });

    const { key, ...signed } = await signToolFiles(ann, { files: [toolId] });
    expect(signed).toEqual({ signed: [toolId], isNewKey: true, outside: [], refused: [] });
    expect(await verifyToolFiles(ann, [toolId])).toMatchObject({
      isGood: true,
      files: [{ toolId, kind: "good", keyId: key?.keyId }],
    });

    const { output, files } = await exportToolFiles(ann, { output: join(folder, "ann.tgz") });
    expect(files).toEqual([toolId]);

    const bob = open("bob");
    await expect(installToolFiles(bob, { origin: output })).rejects.toMatchObject({ code: "SIGNATURE_INVALID" });
    expect(await verifyToolFiles(bob)).toMatchObject({ files: [] });
    const installed = await installToolFiles(bob, { origin: output, trust: [key?.keyId ?? ""] });
    expect(installed).toMatchObject({
      isOutside: false,
      refused: [],
      files: [{ toolId, change: "new" }],
      trusted: [{ keyId: key?.keyId }],
    });
    expect(await verifyToolFiles(bob)).toMatchObject({ isGood: true, files: [{ toolId }] });
  });
});

describe("the audit log", () => {
  it("is read, followed, exported and verified", async () => {
    const engine = open("ann", { echo: testServer("echo.mjs") });
    await engine.executeTool("echo", "echo", { text: "one" });
    const audit = await openAudit(optionsOf("ann"));
    try {
      const { head, openIntents, archivedThrough } = await audit.state();
      expect({ openIntents, archivedThrough }).toEqual({ openIntents: 0, archivedThrough: 0 });
      expect(await audit.read({ tool: "echo:*" })).toMatchObject([{ outcome: "ok", tool_id: "echo:echo" }]);
      expect(await audit.read({ kind: "all" })).toHaveLength(head.seq);
      expect(await audit.read({ tool: "other:*" })).toEqual([]);

      const stop = new AbortController();
      const followed = audit.follow({}, { after: head.seq, signal: stop.signal });
      const next = followed.next();
      await engine.executeTool("echo", "echo", { text: "two" });
      expect((await next).value).toMatchObject([{ outcome: "ok", tool_id: "echo:echo" }]);
      stop.abort();
      expect(await followed.next()).toEqual({ done: true, value: undefined });

      const file = join(folder, "audit.jsonl");
      const { records, missing } = await audit.export(file);
      expect({ records, missing }).toEqual({ records: (await audit.state()).head.seq, missing: [] });
      expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(records);
      await expect(audit.export(file)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      await audit.export(file, { isForced: true });
      expect((await audit.verify()).findings).toEqual([]);
    } finally {
      await audit.close();
    }
  });
});

describe("pins and the registry", () => {
  it("list the tools of servers", async () => {
    const engine = open("ann", { echo: testServer("echo.mjs") });
    await engine.ready();
    const { file, operations, unknown } = await writeRegistry(engine);
    expect({ file, unknown }).toEqual({ file: join(folder, "ann/operations.json"), unknown: [] });
    expect(operations).toBeGreaterThan(0);
    expect(await compareRegistry(engine)).toMatchObject({ operations, findings: [], added: [] });

    const pins = await (await openPins(engine)).list({ server: "echo" });
    expect(pins.map(({ isApproved }) => isApproved)).not.toContain(false);
    await expect((await openPins(engine)).select("echo", "none")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  });
});

describe("evaluateSearch", () => {
  it("measures the search on a set of files and lists the misses", async () => {
    writeFileSync(
      join(folder, "tools.json"),
      JSON.stringify([
        { server: "github", name: "create_issue", description: "Create an issue" },
        { server: "files", name: "read_file", description: "Read a file from disk" },
      ]),
    );
    writeFileSync(
      join(folder, "queries.json"),
      JSON.stringify([
        { query: "create an issue", relevant: [{ server: "github", name: "create_issue" }] },
        { query: "read a file", relevant: [{ server: "files", name: "gone" }] },
      ]),
    );
    const files = { name: "own", tools: "tools.json", queries: "queries.json", unanswerable: undefined };
    const progress: number[] = [];
    const evaluation = await evaluateSearch(await readEvalSet(files, folder), {
      onProgress: (done, total) => progress.push(done / total),
    });
    expect(evaluation).toMatchObject({
      tools: 2,
      servers: 2,
      report: { queries: 2, "hit@1": 0.5 },
      misses: [{ query: "read a file", expected: ["files:gone"], rank: undefined }],
      unknown: ["files:gone"],
    });
    expect(progress).toEqual([0.5, 1]);
  });

  it("ends with CANCELLED when the signal aborts", async () => {
    const set = { name: "none", tools: [], queries: [], unanswerable: undefined };
    await expect(evaluateSearch(set, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "CANCELLED" });
  });
});
