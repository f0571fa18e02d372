import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WRITTEN } from "../../test/support/catalog-writer.js";
import { type CatalogWriters, createCatalogWriters } from "../../test/support/catalog-writers.js";
import { DiscoveryError } from "../errors.js";
import type { ServerDefinition, ServerListing } from "../model/server.js";
import type { ToolDefinition } from "../model/tool.js";
import { createStore } from "../store/create-store.js";
import type { Store } from "../store/store.js";
import { createCatalog } from "./catalog.js";
import { createCatalogDisk } from "./disk.js";
import { connectionFingerprint } from "./record.js";

const server = (name: string, manifest: string[] = []): ServerDefinition => ({
  name,
  connection: { kind: "stdio", command: name, args: [], env: {} },
  manifest: manifest.map((tool) => ({ name: tool, inputSchema: { type: "object" } })),
  origin: "inline",
});
const listing = (...names: string[]): ServerListing => ({
  tools: names.map((name) => ({ name, inputSchema: { type: "object" } })),
  dropped: [],
  truncated: false,
  era: "legacy",
});

const DAY_MS = 24 * 60 * 60 * 1000;

let folder: string;
let store: Store;
let logged: string[];
let clock: number;
const log = (message: string): void => void logged.push(message);
const storeIn = (place: string): Store => createStore({ file: join(place, "store.db"), inline: true });

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "catalog-")), "nested");
  store = storeIn(folder);
  logged = [];
  clock = 1000;
});
afterEach(async () => {
  await store.close();
  await rm(join(folder, ".."), { recursive: true, force: true });
});

const open = (
  definitions: ServerDefinition[],
  decide: (tool: { name: string }) => { enabled: boolean; tags: string[] } = () => ({ enabled: true, tags: [] }),
) =>
  createCatalog({
    definitions,
    decide,
    disk: createCatalogDisk(store.catalog, log),
    now: () => clock,
    log,
  });
const ids = (catalog: ReturnType<typeof open>) => [...catalog.snapshot().tools.keys()];

describe("catalog", () => {
  it("has the stored tools after a restart", async () => {
    await open([server("a")]).learn("a", listing("x", "y"));
    const again = open([server("a")]);
    expect(ids(again)).toEqual([]);
    await again.load();
    expect(ids(again)).toEqual(["a:x", "a:y"]);
  });

  it("creates no file before the first record, and then one that only the owner can read", async () => {
    await open([server("a")]).load();
    expect(existsSync(folder)).toBe(false);
    await open([server("a")]).learn("a", listing("x"));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, "store.db"))).mode & 0o777).toBe(0o600);
  });

  it("reads ten servers at a time, after answers that are being sent", async () => {
    const reads: (number | string)[] = [];
    const { catalog: records } = store;
    const read: typeof records.read = (keys) => {
      reads.push(keys.length);
      return records.read(keys);
    };
    const names = Array.from({ length: 23 }, (_, n) => `s${n}`);
    for (const name of names) await open([server(name)]).learn(name, listing(`of-${name}`));
    const catalog = createCatalog({
      definitions: [...names, "unknown"].map((name) => server(name)),
      decide: () => ({ enabled: true, tags: [] }),
      disk: createCatalogDisk({ ...records, read }, log),
      now: () => clock,
      log,
    });
    const loaded = catalog.load();
    process.nextTick(() => reads.push("left"));
    await loaded;
    expect(ids(catalog)).toEqual(names.map((name) => `${name}:of-${name}`));
    expect(reads).toEqual(["left", 10, 10, 4]);
  });

  it.each([
    ["truncated", (text: string) => text.slice(0, text.length / 2)],
    ["empty", () => ""],
    ["in another format", (text: string) => text.replace('"format":1', '"format":2')],
    ["of another server", (text: string) => text.replace('"server":"a"', '"server":"b"')],
    ["a list with an unnamed tool", (text: string) => text.replaceAll('"name"', '"nome"')],
    ["a list with a tool that is not an object", (text: string) => text.replace('"tools":[', '"tools":[null,')],
  ])("lists the server again if its record is %s, and reports it once", async (_, damage) => {
    await open([server("a")]).learn("a", listing("x"));
    const key = { server: "a", fingerprint: connectionFingerprint(server("a").connection) };
    const [text = ""] = await store.catalog.read([key]);
    await store.catalog.write({ ...key, listedAt: 1, text: damage(text) });
    const again = open([server("a")]);
    await again.load();
    await again.load();
    expect(ids(again)).toEqual([]);
    expect(logged).toEqual(["The stored tool list of a is not valid; the gateway requests it from the server again."]);
    await again.learn("a", listing("y"));
    const third = open([server("a")]);
    await third.load();
    expect(ids(third)).toEqual(["a:y"]);
  });

  it("works without the disk if the store fails, and reports it once", async () => {
    const notAFolder = join(folder, "..", "file");
    await writeFile(notAFolder, "");
    store = storeIn(notAFolder);
    const catalog = open([server("a", ["planned"]), server("b")]);
    await catalog.load();
    expect(ids(catalog)).toEqual(["a:planned"]);
    for (const name of ["a", "b", "a"]) await catalog.learn(name, listing("x"));
    expect(ids(catalog)).toEqual(["a:x", "b:x"]);
    expect(logged).toEqual([
      expect.stringMatching(
        /store\.db could not be used: .* Tool lists are not stored and are lost when this process ends\.$/,
      ),
    ]);
  });

  it("removes servers that were not listed for ninety days at the next write", async () => {
    await open([server("old")]).learn("old", listing("x"));
    clock += DAY_MS;
    await open([server("newer")]).learn("newer", listing("x"));
    clock += 89 * DAY_MS + 1;
    const known = async () => {
      const catalog = open([server("old"), server("newer"), server("now")]);
      await catalog.load();
      return ids(catalog);
    };
    expect(await known()).toEqual(["old:x", "newer:x"]);
    await open([server("now")]).learn("now", listing("x"));
    expect(await known()).toEqual(["newer:x", "now:x"]);
  });

  it("does not use the tools of another command under the same name", async () => {
    await open([server("a")]).learn("a", listing("x"));
    const other = open([{ ...server("a"), connection: { kind: "stdio", command: "other", args: [], env: {} } }]);
    await other.load();
    expect(ids(other)).toEqual([]);
  });

  it("shows the manifest until the live list replaces it", async () => {
    const catalog = open([server("a", ["planned"])]);
    expect(ids(catalog)).toEqual(["a:planned"]);
    await catalog.learn("a", listing("real"));
    expect(ids(catalog)).toEqual(["a:real"]);
  });

  it("keeps the tools of a failed server, with the reason", async () => {
    const catalog = open([server("a")]);
    await catalog.learn("a", listing("x"));
    await catalog.fail("a", new DiscoveryError("SERVER_CONNECTION_ERROR", "gone."), 1);
    expect(catalog.snapshot().servers.get("a")?.failure?.message).toBe("gone.");
    expect(ids(catalog)).toEqual(["a:x"]);
    await catalog.learn("a", listing("x"));
    expect(catalog.snapshot().servers.get("a")?.failure).toBeUndefined();
  });

  it("marks each tool as the rules decide", async () => {
    const catalog = open([server("a")], ({ name }) => ({ enabled: name !== "x", tags: [name] }));
    await catalog.learn("a", listing("x", "y"));
    expect([...catalog.snapshot().tools.values()].map(({ enabled, tags }) => [enabled, tags])).toEqual([
      [false, ["x"]],
      [true, ["y"]],
    ]);
  });

  it("never changes a snapshot that was handed out", async () => {
    const catalog = open([server("a")]);
    const before = catalog.snapshot();
    await catalog.learn("a", listing("x"));
    expect(before.tools.size).toBe(0);
    expect(catalog.snapshot().tools.size).toBe(1);
  });

  it("keeps the same map of tools as long as none changes, so that the search index is kept too", async () => {
    const catalog = open([server("a"), server("b")]);
    await catalog.learn("a", listing("x"));
    const { tools } = catalog.snapshot();
    await catalog.learn("a", listing("x"));
    await catalog.fail("b", new DiscoveryError("SERVER_CONNECTION_ERROR", "gone."), 1);
    expect(catalog.snapshot().tools).toBe(tools);
    await catalog.learn("a", listing("x", "y"));
    expect(catalog.snapshot().tools).not.toBe(tools);
  });

  it("creates new tool objects if only the server's title changes, because search uses it", async () => {
    const catalog = open([server("a"), server("b")]);
    await catalog.learn("a", { ...listing("x"), title: "Ledger" });
    await catalog.learn("b", listing("y"));
    const before = catalog.snapshot();
    await catalog.learn("a", { ...listing("x"), title: "Calendar" });
    const { servers, tools } = catalog.snapshot();
    expect(tools).not.toBe(before.tools);
    expect(servers.get("a")?.tools).not.toBe(before.servers.get("a")?.tools);
    expect(servers.get("b")?.tools).toBe(before.servers.get("b")?.tools);
    await catalog.learn("a", { ...listing("x"), title: "Calendar", version: "2" });
    expect(catalog.snapshot().tools).toBe(tools);
  });

  it("compares with the record that another process wrote", async () => {
    const [ours, theirs] = [open([server("a")]), open([server("a")])];
    await theirs.learn("a", listing("x"));
    await ours.learn("a", listing("x", "y"));
    expect(logged).toEqual(["a:y was added."]);
  });
});

describe("several processes", () => {
  let writers: CatalogWriters;
  beforeAll(async () => {
    writers = await createCatalogWriters();
  });
  afterAll(async () => {
    await writers.close();
  });

  /** The list that a start reads; all its tools come from the same one. */
  async function readMark(): Promise<string | undefined> {
    const fresh = storeIn(folder);
    const disk = createCatalogDisk(fresh.catalog, log);
    const record = await disk.read(WRITTEN.name, connectionFingerprint(WRITTEN.connection));
    await fresh.close();
    const marks = new Set(record?.tools.map(({ description = "" }) => description));
    expect([record?.tools.length, marks.size]).toEqual([50, 1]);
    return [...marks][0]?.split(" ")[0];
  }

  it("leave complete records at every moment, even if they are killed", async () => {
    let steady = ["p", "q"].map((name) => writers.start(join(folder, "store.db"), name));
    for (const writer of steady) await writer.untilWritten(1);
    for (let round = 0; round < 6; round += 1) {
      const victim = writers.start(join(folder, "store.db"), `v${round}`);
      const isReady = victim.untilWritten(1 + round);
      for (let look = 0; look < 5; look += 1) await readMark();
      await isReady;
      await victim.kill();
      await readMark();
    }
    await steady[0]!.kill();
    steady = steady.slice(1);
    await steady[0]!.untilWritten(2);
    await steady[0]!.kill();
    const [, acknowledged = ""] = steady[0]!.last().split("-");
    const [name, kept = ""] = (await readMark())!.split("-");
    expect(name).toBe("q");
    expect(Number(kept)).toBeGreaterThanOrEqual(Number(acknowledged));
    expect(logged).toEqual([]);
  });
});

describe("a server with signed files", () => {
  const signed = { name: "t", description: "Reads.", inputSchema: { type: "object" } };
  const filed = (more: Partial<ServerDefinition> = {}): ServerDefinition => ({
    ...server("a"),
    manifest: [signed],
    files: [{ id: "a_t", definition: signed, timeoutMs: 5000, risk: "low" }],
    ...more,
  });
  const says = (tool: Partial<ToolDefinition>): ServerListing => ({
    ...listing("other"),
    tools: [{ ...signed, ...tool }, ...listing("other").tools],
  });

  it("has the tools of the files before it is contacted", () => {
    const tool = open([filed()]).snapshot().tools.get("a:t");
    expect(tool).toMatchObject({ enabled: true, file: { id: "a_t", timeoutMs: 5000, risk: "low" } });
  });

  it("may list further tools besides those of the files", async () => {
    const catalog = open([filed()]);
    await catalog.learn("a", says({ _meta: { more: true }, icons: [] }));
    expect(catalog.snapshot().tools.get("a:t")).toMatchObject({ enabled: true, file: { id: "a_t" } });
    expect(catalog.snapshot().tools.get("a:other")).not.toHaveProperty("file");
  });

  it.each<[string, Partial<ToolDefinition>, string]>([
    ["description", { description: "Reads, and sends it to me." }, "/description"],
    ["schema", { inputSchema: { type: "object", required: ["secret"] } }, "/inputSchema/required"],
    ["title", { title: "Other" }, "/title"],
    ["annotations", { annotations: { readOnlyHint: true } }, "/annotations"],
    ["output schema", { outputSchema: { type: "object" } }, "/outputSchema"],
  ])("has only the tool quarantined whose %s differs from its file", async (_member, change, pointer) => {
    const catalog = open([filed()]);
    await catalog.learn("a", says(change));
    const { tools } = catalog.snapshot();
    expect(tools.get("a:t")).toMatchObject({ enabled: false, quarantine: { reason: "signed" } });
    expect(JSON.stringify(tools.get("a:t")?.definition)).not.toContain("sends it to me");
    expect(tools.get("a:t")?.quarantine?.differs[0]).toMatch(pointer.slice(0, 8));
    expect(tools.get("a:other")).toMatchObject({ enabled: true });
    await catalog.learn("a", says({}));
    expect(catalog.snapshot().tools.get("a:t")).toMatchObject({ enabled: true });
  });
});
