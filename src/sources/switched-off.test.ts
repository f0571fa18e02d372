import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkSchema } from "../util/document/schema.js";
import { collectServers } from "./collect.js";
import { type ServerEntry, serversOptions } from "./options.js";
import { switchedOffNames } from "./switched-off.js";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "switched-off-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function entries(servers: unknown): ServerEntry[] {
  const checked = checkSchema(serversOptions, servers);
  return checked.kind === "ok" ? checked.value : [];
}

async function namesWith(servers: unknown): Promise<string[]> {
  const path = join(folder, "mcp.json");
  writeFileSync(path, JSON.stringify({ mcpServers: { github: { command: "gh" }, files: { command: "files" } } }));
  const collected = await collectServers({
    servers: entries(servers),
    sources: [{ type: "cursor", path }],
    baseDir: folder,
    home: folder,
  });
  return collected.servers.map(({ name }) => name);
}

it("disables the server of a source by an entry with only `enabled: false`", async () => {
  expect(await namesWith({ GitHub: { enabled: false } })).toEqual(["files"]);
});

it("does not use a source's server with the name of a disabled server", async () => {
  expect(await namesWith({ github: { command: "gh", enabled: false } })).toEqual(["files"]);
});

it("renames a source server that differs from the disabled server of the same name", async () => {
  expect(await namesWith({ github: { command: "other", enabled: false } })).toEqual(["github-2", "files"]);
});

it("treats a name as enabled if one of two entries is enabled", () => {
  expect(
    switchedOffNames(
      entries([
        { name: "a", enabled: false },
        { name: "A", command: "x" },
      ]),
    ),
  ).toEqual(new Set());
});

it("requires a command or a URL for an enabled server", () => {
  expect(checkSchema(serversOptions, { a: { enabled: true } }).kind).toBe("violations");
  expect(checkSchema(serversOptions, { a: { description: "x" } }).kind).toBe("violations");
});
