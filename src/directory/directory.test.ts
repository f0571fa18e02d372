import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDirectory } from "./directory.js";
import type { DirectoryEntry } from "./entry.js";
import { toContentWords } from "./words.js";

const entry = (name: string, tools: Record<string, string>, description: string): DirectoryEntry => ({
  name,
  description,
  transport: "stdio",
  arguments: [],
  variables: [],
  tools: Object.entries(tools).map(([tool, words]) => ({ name: tool, words })),
});

const sms = {
  ...entry("@acme/mcp-sms", { send_sms: "message phone send sms text" }, "Send text messages."),
  registryName: "io.github.acme/sms",
};
const cards = entry("mcp-server-cards", { create_card: "board card create list" }, "Boards with cards.");

let folder = "";
let file = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "directory-"));
  file = join(folder, "servers.json.gz");
  await writeFile(file, gzipSync(JSON.stringify({ version: 1, made: "2026-01-01", servers: [sms, cards] })));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("openDirectory", () => {
  it("suggests the server whose tool matches the query", async () => {
    const [first] = await openDirectory({ file }).search("send an SMS", 3);
    expect(first).toMatchObject({ entry: { name: "@acme/mcp-sms" }, tools: ["send_sms"] });
  });

  it("suggests nothing for a query of another domain", async () => {
    expect(await openDirectory({ file }).search("bake sourdough bread", 3)).toEqual([]);
  });

  it("gets an entry by its package name and by its registry name", async () => {
    const directory = openDirectory({ file });
    expect((await directory.get("@acme/mcp-sms"))?.name).toBe("@acme/mcp-sms");
    expect((await directory.get("io.github.acme/sms"))?.name).toBe("@acme/mcp-sms");
    expect(await directory.get("unknown")).toBeUndefined();
  });

  it("reports a file that cannot be read, with the next action", async () => {
    const broken = join(folder, "broken.gz");
    await writeFile(broken, "not gzip");
    await expect(openDirectory({ file: broken }).get("x")).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
  });

  it("reads the directory of this package, which has at most 3 MB and pins every npm package", async () => {
    const path = join(import.meta.dirname, "../../directory/servers.json.gz");
    expect((await stat(path)).size).toBeLessThanOrEqual(3 * 1024 * 1024);
    expect((await openDirectory().get("@modelcontextprotocol/server-filesystem"))?.package).toMatchObject({
      registry: "npm",
      integrity: expect.stringMatching(/^sha512-/u),
    });
    expect((await readFile(path)).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  });
});

describe("toContentWords", () => {
  it("keeps each content word once, in alphabetical order", () => {
    expect(toContentWords("Send a message to the phone. Sends messages.")).toBe("message phone Send");
  });
});
