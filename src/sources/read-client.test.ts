import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientFiles, readClientFile } from "./read-client.js";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "client-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const system = () => ({ platform: "linux", home: join(root, "home"), cwd: join(root, "project"), env: {} }) as const;

function write(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const ONE = JSON.stringify({ mcpServers: { a: { command: "x" } } });
const LARGE = ONE + " ".repeat(256 * 1024);
const read = (scope: "user" | "project", path: string) =>
  readClientFile({ client: "claude-code", scope, path }, { system: system() });

describe("a file in the project folder", () => {
  it("has a smaller size limit than a file of the user", async () => {
    const path = write("project/.mcp.json", LARGE);
    const problems = [{ file: path, path: "", reason: "is larger than 256 KiB" }];
    expect(await read("project", path)).toEqual({ kind: "broken", problems });
    expect(await read("user", path)).toMatchObject({ kind: "read" });
  });

  it("is distinguished from the user's files in the same folder", async () => {
    const path = write("project/.mcp.json", ONE);
    const off = JSON.stringify({ disabledMcpjsonServers: ["a"] }) + " ".repeat(256 * 1024);
    const disabled = async () => {
      const content = await read("project", path);
      return content.kind === "read" && content.servers[0]?.disabled !== undefined;
    };
    write("project/.claude/settings.json", off);
    expect(await disabled()).toBe(false);
    write("home/.claude/settings.json", off);
    expect(await disabled()).toBe(true);
  });

  it("is ignored after the first 20 in its folder, and the next one reports this", async () => {
    for (let n = 10; n < 40; n += 1) write(`project/.continue/mcpServers/${n}.yaml`, "mcpServers: []");
    const locations = clientFiles(system(), ["continue"]).filter(({ path }) => /mcpServers.\d+\.yaml$/.test(path));
    expect(locations.map(({ refused }) => refused === undefined)).toEqual([...Array<boolean>(20).fill(true), false]);
    const [last] = locations.slice(-1);
    const content = await readClientFile(last!, { system: system() });
    expect(content).toMatchObject({
      kind: "broken",
      problems: [{ reason: expect.stringContaining("first 20") as string }],
    });
  });
});

describe("the companions of a file", () => {
  it("are listed whether they exist or not", async () => {
    const content = await read("project", write("project/.mcp.json", ONE));
    expect(content.kind === "read" && content.companions.map(({ path }) => path.slice(root.length + 1))).toEqual([
      "home/.claude.json",
      "home/.claude/settings.json",
      "project/.claude/settings.json",
      "project/.claude/settings.local.json",
    ]);
  });

  it("include the folder of a pattern", async () => {
    const path = write("home/.docker/mcp/registry.yaml", "registry: {}\n");
    const folder = dirname(path);
    const content = await readClientFile({ client: "docker-mcp", scope: "user", path }, { system: system() });
    expect(content.kind === "read" && content.companions.map((one) => one.path)).toEqual([
      join(folder, "catalogs"),
      join(folder, "config.yaml"),
      join(folder, "tools.yaml"),
    ]);
  });
});
