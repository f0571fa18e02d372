import { mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import type { ServerDefinition, ServerListing } from "../model/server.js";
import { createCatalog } from "./catalog.js";
import { createCatalogDisk } from "./disk.js";

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

let folder: string;
let logged: string[];
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "catalog-")), "nested");
  logged = [];
});

const open = (
  definitions: ServerDefinition[],
  decide: (tool: { name: string }) => { enabled: boolean; tags: string[] } = () => ({ enabled: true, tags: [] }),
) =>
  createCatalog({
    definitions,
    decide,
    disk: createCatalogDisk(folder, (message) => logged.push(message)),
    now: () => 1000,
    log: (message) => logged.push(message),
  });
const ids = (catalog: ReturnType<typeof open>) => [...catalog.snapshot().tools.keys()];

describe("catalog", () => {
  it("knows after a restart what a server answered before it", async () => {
    await open([server("a")]).learn("a", listing("x", "y"));
    const again = open([server("a")]);
    expect(ids(again)).toEqual([]);
    await again.load();
    expect(ids(again)).toEqual(["a:x", "a:y"]);
  });

  it("keeps its files for their owner alone", async () => {
    await open([server("a")]).learn("a", listing("x"));
    const [file = ""] = await readdir(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  });

  it("asks again instead of failing when a file is half-written, and says so", async () => {
    await open([server("a")]).learn("a", listing("x"));
    const [file = ""] = await readdir(folder);
    const text = await readFile(join(folder, file), "utf8");
    await writeFile(join(folder, file), text.slice(0, text.length / 2));
    const again = open([server("a")]);
    await again.load();
    expect(ids(again)).toEqual([]);
    expect(logged.join()).toContain("not a readable catalog file");
  });

  it("does not take the tools of another command under the same name", async () => {
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

  it("keeps the tools of a server that fails, beside the reason", async () => {
    const catalog = open([server("a")]);
    await catalog.learn("a", listing("x"));
    catalog.fail("a", new DiscoveryError("SERVER_CONNECTION_ERROR", "gone."));
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
    catalog.fail("b", new DiscoveryError("SERVER_CONNECTION_ERROR", "gone."));
    expect(catalog.snapshot().tools).toBe(tools);
    await catalog.learn("a", listing("x", "y"));
    expect(catalog.snapshot().tools).not.toBe(tools);
  });

  it("gives new tools when only the server's title changes, because search finds them by it", async () => {
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

  it("takes what another process recorded meanwhile for the past", async () => {
    const [ours, theirs] = [open([server("a")]), open([server("a")])];
    await theirs.learn("a", listing("x"));
    await ours.learn("a", listing("x", "y"));
    expect(logged).toEqual(["a:y was added."]);
  });

  it("reads files of earlier versions, which held pins too", async () => {
    await open([server("a")]).learn("a", listing("x"));
    const [file = ""] = await readdir(folder);
    const { format, record } = JSON.parse(await readFile(join(folder, file), "utf8")) as { format: 1; record: object };
    await writeFile(join(folder, file), JSON.stringify({ format, record: { ...record, pins: { x: { hash: "h" } } } }));
    const again = open([server("a")]);
    await again.load();
    expect(ids(again)).toEqual(["a:x"]);
  });

  it("is readable at every moment while another process writes it", async () => {
    const writer = open([server("a")]);
    await writer.learn("a", listing("x"));
    const writes = Promise.all(Array.from({ length: 30 }, (_, n) => writer.learn("a", listing("x", `t${n}`))));
    for (let n = 0; n < 30; n++) {
      const reader = open([server("a")]);
      await reader.load();
      expect(ids(reader)).toContain("a:x");
    }
    await writes;
    expect(await readdir(folder)).toHaveLength(1);
  });
});
