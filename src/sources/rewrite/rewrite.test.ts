import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { pathText } from "../../util/document/problem.js";
import type { ClientServer } from "../clients/client.js";
import { CLIENTS } from "../clients/table.js";
import { parseSection } from "../formats/parse.js";
import { CLIENT_IDS, type ClientId } from "../options.js";
import type { System } from "../system.js";
import { rewriteClientFile, type Rewritten } from "./rewrite.js";

const GATEWAY = { command: "npx", args: ["-y", "@anygpt/discovery"] };

const SYSTEM: System = { platform: "linux", home: "/home/ada", cwd: "/work", env: {} };

interface Case {
  readonly client: ClientId;
  readonly path?: string;
  readonly text: string;
  /** Servers that stay; all others are removed. */
  readonly keep?: readonly string[];
  /** The gateway is registered already. */
  readonly hasGateway?: boolean;
}

async function serversIn(client: ClientId, path: string, text: string): Promise<readonly ClientServer[]> {
  const layout = CLIENTS[client].layoutOf(path);
  const parsed = await parseSection(text.replace(/^\ufeff/, ""), layout.section(SYSTEM));
  if (parsed.kind === "faults") throw new Error("The text is not valid.");
  return layout.read(parsed.document.value, { system: SYSTEM, path, companions: [] }).servers;
}

async function rewrite({ client, path = "/x/mcp.json", text, keep = [], hasGateway }: Case): Promise<Rewritten> {
  const servers = await serversIn(client, path, text);
  const remove = new Set(servers.filter(({ name }) => !keep.includes(name)).map((one) => pathText(one.path)));
  const gateway = hasGateway === true ? {} : { gateway: GATEWAY };
  return await rewriteClientFile({ client, path, bytes: Buffer.from(text), remove, ...gateway, system: SYSTEM });
}

async function textOf(one: Case): Promise<string> {
  const result = await rewrite(one);
  return result.kind === "rewritten" ? Buffer.from(result.bytes).toString("utf8") : JSON.stringify(result);
}

describe("rewriteClientFile", () => {
  it.each<[string, Case, string]>([
    [
      "keeps comments, order and the trailing comma",
      {
        client: "cursor",
        text: `{
  // mine
  "mcpServers": {
    /* first */ "a": { "command": "a" },
    "b": { "command": "b" }, // about b
    "off": { "command": "c", "disabled": true },
  },
  "z": 1, "a": [1, 2,],
}`,
        keep: ["off"],
      },
      `{
  // mine
  "mcpServers": {
    /* first */ "anygpt": { "command": "npx", "args": ["-y", "@anygpt/discovery"] },
    // about b
    "off": { "command": "c", "disabled": true },
  },
  "z": 1, "a": [1, 2,],
}`,
    ],
    [
      "keeps the byte order mark, CRLF and tabs",
      {
        client: "windsurf",
        text: '\ufeff{\r\n\t"x": "y",\r\n\t"mcpServers": {\r\n\t\t"a": {\r\n\t\t\t"serverUrl": "https://a/mcp"\r\n\t\t}\r\n\t}\r\n}\r\n',
      },
      '\ufeff{\r\n\t"x": "y",\r\n\t"mcpServers": {\r\n\t\t"anygpt": {\r\n\t\t\t"command": "npx",\r\n\t\t\t"args": ["-y", "@anygpt/discovery"]\r\n\t\t}\r\n\t}\r\n}\r\n',
    ],
    [
      "writes compact JSON if the file is compact, without a final line break",
      { client: "claude-desktop", text: '{"a":1,"mcpServers":{"a":{"command":"a"},"b":{"command":"b"}},"z":{}}' },
      '{"a":1,"mcpServers":{"anygpt":{"command":"npx","args":["-y","@anygpt/discovery"]}},"z":{}}',
    ],
    [
      "keeps a registered gateway and removes the comma of the last server",
      {
        client: "claude-desktop",
        text: '{\n  "mcpServers": {\n    "hub": { "command": "npx" },\n    "a": { "command": "a" }\n  }\n}\n',
        keep: ["hub"],
        hasGateway: true,
      },
      '{\n  "mcpServers": {\n    "hub": { "command": "npx" }\n  }\n}\n',
    ],
    [
      "leaves an empty map if the gateway is registered in another file",
      {
        client: "opencode",
        path: "/x/opencode.json",
        text: '{\n  "mcp": {\n    "a": { "command": ["a"] }\n  }\n}\n',
        hasGateway: true,
      },
      '{\n  "mcp": {\n  }\n}\n',
    ],
    [
      "adds the gateway next to servers that stay",
      {
        client: "kiro",
        text: '{\n    "mcpServers": {\n        "off": { "command": "x", "disabled": true } // why\n    }\n}\n',
        keep: ["off"],
      },
      '{\n    "mcpServers": {\n        "off": { "command": "x", "disabled": true }, // why\n        "anygpt": {\n            "command": "npx",\n            "args": ["-y", "@anygpt/discovery"]\n        }\n    }\n}\n',
    ],
    [
      "uses another name if a server that stays is called anygpt",
      {
        client: "kiro",
        text: '{ "mcpServers": { "AnyGPT": { "command": "x", "disabled": true } } }',
        keep: ["AnyGPT"],
      },
      '{ "mcpServers": { "AnyGPT": { "command": "x", "disabled": true }, "anygpt-2": { "command": "npx", "args": ["-y", "@anygpt/discovery"] } } }',
    ],
    [
      "fills an empty map",
      { client: "warp", text: '{\n  "mcpServers": {}\n}\n' },
      '{\n  "mcpServers": {\n    "anygpt": {\n      "command": "npx",\n      "args": ["-y", "@anygpt/discovery"]\n    }\n  }\n}\n',
    ],
    [
      "adds the map to a file without one",
      { client: "zed", text: '// Zed\n{\n  "theme": "One" // dark\n}\n' },
      '// Zed\n{\n  "theme": "One", // dark\n  "context_servers": {\n    "anygpt": {\n      "command": "npx",\n      "args": ["-y", "@anygpt/discovery"]\n    }\n  }\n}\n',
    ],
    [
      "writes into an empty file",
      { client: "lm-studio", text: "" },
      '{\n  "mcpServers": {\n    "anygpt": {\n      "command": "npx",\n      "args": ["-y", "@anygpt/discovery"]\n    }\n  }\n}\n',
    ],
    [
      "removes the servers of this project from the state file of Claude Code",
      {
        client: "claude-code",
        path: "/home/ada/.claude.json",
        text: '{\n  "projects": {\n    "/work": {\n      "mcpServers": {\n        "a": { "command": "a" }\n      },\n      "history": []\n    },\n    "/other": { "mcpServers": { "b": { "command": "b" } } }\n  }\n}\n',
      },
      '{\n  "projects": {\n    "/work": {\n      "mcpServers": {\n      },\n      "history": []\n    },\n    "/other": { "mcpServers": { "b": { "command": "b" } } }\n  },\n  "mcpServers": {\n    "anygpt": {\n      "type": "stdio",\n      "command": "npx",\n      "args": ["-y", "@anygpt/discovery"]\n    }\n  }\n}\n',
    ],
    [
      "edits TOML tables and nothing between them",
      {
        client: "codex",
        path: "/x/config.toml",
        text: `model = "m" # the model
notes = """
[mcp_servers.fake]
"""

# about a
[mcp_servers.a]
command = "a"
args = [
  "]", # not the end
  '[mcp_servers.b]',
]
[mcp_servers.a.env]
KEY = "v"

# about b
[mcp_servers."b c"]
url = "https://b/mcp"

[mcp_servers.off]
command = "x"
enabled = false

[tui]
theme = 'dark'`,
        keep: ["off"],
      },
      `model = "m" # the model
notes = """
[mcp_servers.fake]
"""

# about a
[mcp_servers.anygpt]
command = "npx"
args = [ "-y", "@anygpt/discovery" ]

# about b

[mcp_servers.off]
command = "x"
enabled = false

[tui]
theme = 'dark'`,
    ],
    [
      "edits servers that are keys of one TOML table",
      {
        client: "codex",
        path: "/x/config.toml",
        text: '[mcp_servers]\na = { command = "a" }\nb.command = "b"\r\n\n[tui]\nx = 1',
        keep: ["b"],
      },
      '[mcp_servers]\nb.command = "b"\r\n\n[tui]\nx = 1\n\n[mcp_servers.anygpt]\ncommand = "npx"\nargs = [ "-y", "@anygpt/discovery" ]\n',
    ],
    [
      "edits the extensions of Goose in YAML",
      {
        client: "goose",
        path: "/x/config.yaml",
        text: `GOOSE_MODE: auto # mode
extensions:
  # built in
  developer: {type: builtin, enabled: true}
  a:
    type: stdio
    cmd: a
    args:
      - x
    enabled: true
  # about b
  b:
    type: stdio
    cmd: b
    enabled: false
    description: >
      folded

other: [1,   2]
`,
        keep: ["b"],
      },
      `GOOSE_MODE: auto # mode
extensions:
  # built in
  developer: {type: builtin, enabled: true}
  anygpt:
    name: anygpt
    description: All other servers
    type: stdio
    enabled: true
    cmd: npx
    args:
      - -y
      - "@anygpt/discovery"
    envs: {}
    timeout: 300
  # about b
  b:
    type: stdio
    cmd: b
    enabled: false
    description: >
      folded

other: [1,   2]
`,
    ],
    [
      "edits the list of Continue and keeps CRLF",
      {
        client: "continue",
        path: "/x/config.yaml",
        text: "name: c\r\nmcpServers:\r\n- name: a\r\n  command: a\r\n- uses: hub/x\r\n- name: b\r\n  url: https://b/mcp\r\n",
      },
      'name: c\r\nmcpServers:\r\n- name: anygpt\r\n  command: npx\r\n  args:\r\n    - -y\r\n    - "@anygpt/discovery"\r\n- uses: hub/x\r\n',
    ],
    [
      "leaves an empty list in YAML",
      {
        client: "continue",
        path: "/x/a.yaml",
        text: "mcpServers: # mine\n  - name: a\n    command: a\n",
        hasGateway: true,
      },
      "mcpServers: [] # mine\n",
    ],
    [
      "fills an empty list in YAML",
      { client: "continue", path: "/x/a.yaml", text: "mcpServers: []\nz: 1\n" },
      'mcpServers:\n  - name: anygpt\n    command: npx\n    args:\n      - -y\n      - "@anygpt/discovery"\nz: 1\n',
    ],
    [
      "adds the list to YAML that has none",
      { client: "continue", path: "/x/a.yaml", text: "z: 1" },
      'z: 1\nmcpServers:\n  - name: anygpt\n    command: npx\n    args:\n      - -y\n      - "@anygpt/discovery"\n',
    ],
  ])("%s", async (_name, one, expected) => {
    expect(await textOf(one)).toBe(expected);
  });

  it.each<[string, Case, RegExp]>([
    [
      "a file that is invalid outside of its servers",
      { client: "zed", text: '{ "context_servers": {}, "x": nope }' },
      /is not valid/,
    ],
    [
      "a server with an anchor that others use",
      { client: "goose", path: "/x/c.yaml", text: "extensions:\n  a: &a\n    type: stdio\n    cmd: a\nmore: *a\n" },
      /safely/,
    ],
    [
      "servers in one inline table of TOML",
      { client: "codex", path: "/x/c.toml", text: 'mcp_servers = { a = { command = "a" } }\n' },
      /inline table/,
    ],
    [
      "an allow list without the gateway",
      { client: "gemini-cli", text: '{ "mcp": { "allowed": ["a"] }, "mcpServers": { "a": { "command": "a" } } }' },
      /not in `mcp.allowed`/,
    ],
  ])("rejects %s", async (_name, one, reason) => {
    const result = await rewrite(one);
    expect(result.kind === "refused" && result.reason).toMatch(reason);
  });

  it.each<Case>([
    { client: "amazon-q", path: "/x/default.json", text: '{ "mcpServers": { "a": { "command": "a" } } }' },
    { client: "docker-mcp", path: "/x/registry.yaml", text: "registry: {}\n" },
  ])("does not register the gateway in a file that cannot contain it: $client", async (one) => {
    expect(await rewrite(one)).toEqual({ kind: "unsuited" });
  });

  it("rejects bytes that are not text", async () => {
    const parts = { client: "cursor", path: "/x/mcp.json", remove: new Set<string>(), system: SYSTEM } as const;
    const result = await rewriteClientFile({ ...parts, bytes: new Uint8Array([0xff, 0xfe, 0x7b, 0]) });
    expect(result).toEqual({ kind: "refused", reason: "is not UTF-8 text" });
  });

  it("changes nothing if there is nothing to change", async () => {
    expect(await rewrite({ client: "cursor", text: '{"mcpServers":{}}', hasGateway: true })).toEqual({
      kind: "unchanged",
    });
  });
});

describe("the files of every client", () => {
  const golden = fileURLToPath(new URL("../../../test/golden/sources", import.meta.url));
  const companions = ["settings.local.json", "mcp-server-enablement.json", "expected.json"];
  const files = CLIENT_IDS.filter((client) => client !== "docker-mcp").flatMap((client) =>
    readdirSync(join(golden, client))
      .filter((file) => !companions.includes(file) && !(client === "amazon-q" && file === "default.json"))
      .map((file): [ClientId, string, string] => {
        const text = readFileSync(join(golden, client, file), "utf8").replace("@PROJECT@", "/work");
        return [client, file === "claude.json" ? "/home/ada/.claude.json" : `/x/${file}`, text];
      }),
  );

  it.each(files)("%s (%s) contain only the gateway afterwards, in any style", async (client, path, text) => {
    for (const styled of [text, text.replaceAll("\n", "\r\n"), text.trimEnd()]) {
      const after = await textOf({ client, path, text: styled });
      const [only, ...others] = await serversIn(client, path, after);
      expect([only?.name, only?.disabled, others]).toEqual(["anygpt", undefined, []]);
      expect(JSON.stringify(only?.entry)).toContain("@anygpt/discovery");
      expect(after.startsWith("\ufeff")).toBe(styled.startsWith("\ufeff"));
      expect(/(?<!\r)\n/.test(after)).toBe(/(?<!\r)\n/.test(styled));
    }
  });

  it.each(files)("%s (%s) keep every other server unchanged", async (client, path, text) => {
    const servers = await serversIn(client, path, text);
    for (const { name } of servers) {
      const after = await textOf({ client, path, text, keep: [name] });
      const left = await serversIn(client, path, after);
      const kept = left.find((one) => one.name === name);
      expect([left.length, kept?.entry]).toEqual([2, servers.find((one) => one.name === name)?.entry]);
    }
  });
});
