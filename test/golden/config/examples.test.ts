import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load.js";
import { collectServers } from "../../../src/sources/collect.js";

const examples = fileURLToPath(new URL("./examples/", import.meta.url));
let root: string;
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), "examples-"))));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Writes an example to its usual location in a separate project. */
function install(example: string, path: string): string {
  const file = join(root, example, path);
  mkdirSync(dirname(file), { recursive: true });
  // TypeScript files are stored as text, so that the project's compiler ignores them.
  copyFileSync(join(examples, example.replace(/\.ts$/, ".ts.txt")), file);
  return join(root, example);
}

const rule = (pattern: string[], enabled: boolean, more: object = {}) => ({ pattern, enabled, ...more });
const docker = { type: "docker-mcp", path: "~/.docker/mcp-servers.json" };
const claude = {
  type: "claude-desktop",
  path: "~/Library/Application Support/Claude/claude_desktop_config.json",
};

describe("the documented examples load unchanged", () => {
  it.each<[string, object]>([
    [
      "discovery.yaml",
      {
        sources: [docker, claude, { type: "windsurf", path: "~/.windsurf/mcp.json" }, { type: "custom", path: "./mcp-servers.yaml" }],
        toolRules: [
          rule(["*github*", "/issue/"], true, { tags: ["github", "issues"] }),
          rule(["*dangerous*", "*delete*"], false, { tags: ["dangerous"] }),
        ],
      },
    ],
    ["basic.yaml", { sources: [docker], toolRules: [rule(["*"], true)] }],
    [
      "selective.yaml",
      {
        toolRules: [
          rule(["*issue*"], true, { server: "github", tags: ["github", "issues"] }),
          rule(["*read*", "*list*"], true, { server: "filesystem", tags: ["filesystem", "safe"] }),
          rule(["*delete*", "*remove*", "*rm*"], false, { tags: ["dangerous"] }),
        ],
      },
    ],
    [
      "multi-source.yaml",
      {
        sources: [docker, claude, { type: "custom", path: "./my-mcp-servers.yaml" }],
        toolRules: [rule(["*"], true), rule(["*delete*", "*destroy*"], false)],
      },
    ],
    [
      "regex.yaml",
      {
        toolRules: [
          rule(["/^(create|update)_/"], true, { server: "github", tags: ["github", "write"] }),
          rule(["/\\b(read|list|get)\\b/i"], true, { server: "filesystem", tags: ["filesystem", "read"] }),
          rule(["/(delete|remove|destroy)/i"], false, { tags: ["dangerous"] }),
        ],
      },
    ],
    [
      "advanced.ts",
      {
        sources: [{ type: "custom", path: "./my-mcp-servers.yaml" }],
        toolRules: [
          rule(["*github*", "/issue/"], true, { tags: ["github", "issues"] }),
          rule(["*delete*", "*remove*"], false, { tags: ["dangerous"] }),
        ],
      },
    ],
    [
      "inline-servers.ts",
      {
        servers: [
          {
            name: "github",
            enabled: true,
            description: "GitHub API integration",
            connection: { type: "stdio", command: "npx", args: ["-y", "@modelcontextprotocol/server-github"] },
          },
        ],
        toolRules: [],
      },
    ],
    ["zero-config.ts", { sources: [], toolRules: [], servers: [] }],
    ["server-advanced.ts", { toolRules: [rule(["*github*"], true, { tags: ["github"] })] }],
  ])("%s, as anygpt.config and as mcp-discovery.config", async (example, expected) => {
    for (const path of [`anygpt.config${extname(example)}`, `.anygpt/mcp-discovery.config${extname(example)}`]) {
      // Other sections are allowed only in the shared file.
      if (example === "inline-servers.ts" && path.startsWith(".anygpt")) continue;
      const cwd = install(example, path);
      const loaded = await loadConfig({ cwd, home: root, anygptHome: join(root, ".anygpt"), env: {} });
      expect(loaded.file).toBe(join(cwd, path));
      expect(loaded.config).toMatchObject({ enabled: true, cache: { enabled: true, ttl: 3600 }, ...expected });
      rmSync(join(cwd, path));
    }
  });
});

it("the documented source files give their servers, in the order of the sources", async () => {
  const { servers, sources, problems } = await collectServers({
    servers: [],
    sources: [
      { type: "custom", path: "./my-mcp-servers.yaml" },
      { type: "docker-mcp", path: "./mcp-servers.json" },
    ],
    baseDir: examples,
    home: root,
  });
  expect(problems).toEqual([]);
  expect(sources.map(({ status, servers: count }) => [status, count])).toEqual([
    ["ok", 1],
    ["ok", 2],
  ]);
  expect(servers.map(({ name, description, manifest }) => [name, description, manifest.length])).toEqual([
    ["github", "GitHub API integration", 2],
    ["github-2", undefined, 0],
    ["filesystem", undefined, 0],
  ]);
});
