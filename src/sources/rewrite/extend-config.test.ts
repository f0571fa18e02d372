import { describe, expect, it } from "vitest";
import { toConfigEntry } from "./config-entry.js";
import type { ConfigContent } from "./edit-config.js";
import { type Additions, extendConfig, toSnippet } from "./extend-config.js";

type ExtendParts = ConfigContent & Additions;

const SERVERS = [{ name: "a b", entry: { command: "a", args: ["x"] } }];
const RULES = [{ server: "a b", pattern: ["t"], enabled: false as const }];

async function extend(text: string | undefined, parts: Partial<ExtendParts> = {}): Promise<string> {
  const bytes = text === undefined ? undefined : Buffer.from(text);
  const all = { servers: SERVERS, toolRules: [], format: "json", isShared: false, ...parts } as const;
  const result = await extendConfig({ ...all, bytes }, all);
  return result.kind === "edited" ? Buffer.from(result.bytes).toString("utf8") : result.reason;
}

describe("extendConfig", () => {
  it.each<[string, string | undefined, Partial<ExtendParts>, string]>([
    [
      "creates a new file",
      undefined,
      { toolRules: RULES },
      '{\n  "servers": {\n    "a b": {\n      "command": "a",\n      "args": ["x"]\n    }\n  },\n  "toolRules": [\n    {\n      "server": "a b",\n      "pattern": ["t"],\n      "enabled": false\n    }\n  ]\n}\n',
    ],
    [
      "adds to a map",
      '{\n  // mine\n  "servers": {\n    "z": { "command": "z" } // last\n  }\n}',
      {},
      '{\n  // mine\n  "servers": {\n    "z": { "command": "z" }, // last\n    "a b": {\n      "command": "a",\n      "args": ["x"]\n    }\n  }\n}',
    ],
    [
      "adds to a list inside of the section discovery",
      '{ "discovery": { "servers": [{ "name": "z", "command": "z" }] } }',
      {},
      '{ "discovery": { "servers": [{ "name": "z", "command": "z" }, { "name": "a b", "command": "a", "args": ["x"] }] } }',
    ],
    [
      "adds the section discovery to a shared file",
      '{ "theirs": 1 }',
      { isShared: true },
      '{ "theirs": 1, "discovery": { "servers": { "a b": { "command": "a", "args": ["x"] } } } }',
    ],
    [
      "adds servers and rules to YAML",
      "# mine\nservers:\n    z: {command: z} # last\ntoolRules:\n    - pattern: q\n      enabled: false\n",
      { format: "yaml", toolRules: RULES },
      "# mine\nservers:\n    z: {command: z} # last\n    a b:\n        command: a\n        args:\n            - x\ntoolRules:\n    - pattern: q\n      enabled: false\n    - server: a b\n      pattern:\n          - t\n      enabled: false\n",
    ],
    [
      "adds to a YAML list",
      "servers:\n- name: z\n  command: z\n",
      { format: "yaml" },
      "servers:\n- name: z\n  command: z\n- name: a b\n  command: a\n  args:\n    - x\n",
    ],
    [
      "creates a section in YAML",
      "discovery:\n  cache:\n    ttl: 5\n",
      { format: "yaml" },
      "discovery:\n  cache:\n    ttl: 5\n  servers:\n    a b:\n      command: a\n      args:\n        - x\n",
    ],
    [
      "adds to a flow-style map",
      "servers: {z: {command: z}}\n",
      { format: "yaml" },
      'servers: {z: {command: z}, "a b": { "command": "a", "args": ["x"] }}\n',
    ],
    ["rejects an invalid file", "{", {}, "is not valid"],
  ])("%s", async (_name, before, parts, after) => {
    expect(await extend(before, parts)).toBe(after);
  });

  it("returns the additions as a JSON snippet", () => {
    expect(JSON.parse(toSnippet({ servers: SERVERS, toolRules: RULES }))).toEqual({
      servers: { "a b": { command: "a", args: ["x"] } },
      toolRules: RULES,
    });
  });
});

describe("toConfigEntry", () => {
  const common = { name: "s", manifest: [], origin: "f" };
  it.each([
    [{ kind: "stdio", command: "c", args: [], env: {} }, {}, undefined, { command: "c" }],
    [
      { kind: "stdio", command: "c", args: ["a"], env: { K: "v" }, cwd: "/d" },
      {},
      "/e",
      { command: "c", args: ["a"], env: { K: "v" }, cwd: "/d", envFile: "/e" },
    ],
    [
      { kind: "sse", url: "https://s", headers: {} },
      { description: "d" },
      undefined,
      { description: "d", type: "sse", url: "https://s" },
    ],
    [
      { kind: "http", url: "https://s", headers: { A: "b" } },
      {
        manifest: [
          { name: "t", inputSchema: { type: "object" } },
          { name: "u", description: "U", inputSchema: { type: "object", required: ["x"] } },
        ],
      },
      undefined,
      {
        type: "http",
        url: "https://s",
        headers: { A: "b" },
        tools: [{ name: "t" }, { name: "u", description: "U", inputSchema: { type: "object", required: ["x"] } }],
      },
    ],
  ] as const)("writes %j", (connection, more, envFile, expected) => {
    expect(toConfigEntry({ ...common, connection, ...more }, envFile)).toEqual(expected);
  });
});
