import { describe, expect, it } from "vitest";
import { CLIENTS } from "../clients/table.js";
import { parseSection } from "../formats/parse.js";
import type { ClientId } from "../options.js";
import type { System } from "../system.js";
import { rewriteClientFile, type Rewritten } from "./rewrite.js";

const SYSTEM: System = { platform: "linux", home: "/home/ada", cwd: "/work", env: {} };

interface Case {
  readonly client: ClientId;
  readonly path?: string;
  readonly text: string;
  readonly registered?: readonly string[];
  readonly remove?: readonly string[];
  readonly loadsTools?: boolean;
}

async function rewrite({ client, path = "/x/mcp.json", text, loadsTools = true, ...paths }: Case): Promise<Rewritten> {
  return await rewriteClientFile({
    client,
    path,
    bytes: Buffer.from(text),
    remove: new Set(paths.remove),
    ...(paths.registered === undefined ? { gateway: COMMAND } : {}),
    registered: new Set(paths.registered),
    loadsTools,
    system: SYSTEM,
  });
}

const textOf = (result: Rewritten): string =>
  result.kind === "rewritten" ? Buffer.from(result.bytes).toString("utf8") : result.kind;

async function entryIn({ client, path = "/x/mcp.json" }: Case, text: string): Promise<unknown> {
  const parsed = await parseSection(text, CLIENTS[client].layoutOf(path).section(SYSTEM));
  return parsed.kind === "faults" ? undefined : parsed.document.value;
}

const COMMAND = { command: "npx", args: ["-y", "@anygpt/discovery"] };

describe("a new entry of the gateway", () => {
  it.each<[string, Case, object]>([
    [
      "Claude Code",
      { client: "claude-code", text: "{}" },
      { mcpServers: { anygpt: { type: "stdio", ...COMMAND, alwaysLoad: true } } },
    ],
    [
      "Copilot CLI",
      { client: "copilot-cli", text: "{}" },
      { mcpServers: { anygpt: { type: "local", ...COMMAND, tools: ["*"], deferTools: "never" } } },
    ],
    [
      "Codex",
      { client: "codex", path: "/x/config.toml", text: "" },
      { mcp_servers: { anygpt: { ...COMMAND, omit_tools_from: ["deferred"] } } },
    ],
    [
      "opencode 2",
      { client: "opencode", text: '{ "mcp": { "servers": {} } }' },
      { mcp: { servers: { anygpt: { type: "local", command: ["npx", ...COMMAND.args], codemode: false } } } },
    ],
    [
      "opencode 1, which rejects the key of version 2",
      { client: "opencode", text: '{ "mcp": {} }' },
      { mcp: { anygpt: { type: "local", command: ["npx", ...COMMAND.args], enabled: true } } },
    ],
    ["Cursor, which has no such key", { client: "cursor", text: "{}" }, { mcpServers: { anygpt: COMMAND } }],
    [
      "Claude Code, if the gateway lists the tools of all servers",
      { client: "claude-code", text: "{}", loadsTools: false },
      { mcpServers: { anygpt: { type: "stdio", ...COMMAND } } },
    ],
  ])("asks %s to load its tools at once", async (_name, one, expected) => {
    expect(await entryIn(one, textOf(await rewrite(one)))).toEqual(expected);
  });
});

describe("an existing entry of the gateway", () => {
  it.each<[string, Case, string]>([
    [
      "in one line",
      {
        client: "claude-code",
        text: '{\n  "mcpServers": {\n    "hub": { "command": "npx", "args": ["-y", "@anygpt/discovery"] } // mine\n  }\n}\n',
        registered: ["mcpServers.hub"],
      },
      '{\n  "mcpServers": {\n    "hub": { "command": "npx", "args": ["-y", "@anygpt/discovery"], "alwaysLoad": true } // mine\n  }\n}\n',
    ],
    [
      "on several lines",
      {
        client: "copilot-cli",
        text: '{\r\n\t"mcpServers": {\r\n\t\t"hub": {\r\n\t\t\t"command": "npx"\r\n\t\t}\r\n\t}\r\n}',
        registered: ["mcpServers.hub"],
      },
      '{\r\n\t"mcpServers": {\r\n\t\t"hub": {\r\n\t\t\t"command": "npx",\r\n\t\t\t"deferTools": "never"\r\n\t\t}\r\n\t}\r\n}',
    ],
    [
      "in a TOML table with another table inside",
      {
        client: "codex",
        path: "/x/config.toml",
        text: '# mine\n[mcp_servers.hub]\ncommand = "npx"\nargs = [\n  "-y",\n] # end\n\n[mcp_servers.hub.env]\nA = "1"\n',
        registered: ["mcp_servers.hub"],
      },
      '# mine\n[mcp_servers.hub]\ncommand = "npx"\nargs = [\n  "-y",\n] # end\nomit_tools_from = [ "deferred" ]\n\n[mcp_servers.hub.env]\nA = "1"\n',
    ],
    [
      "at the end of a TOML text without a line break",
      {
        client: "codex",
        path: "/x/config.toml",
        text: 'a = 1\r\n[mcp_servers."hub"]\r\ncommand = "npx"',
        registered: ["mcp_servers.hub"],
      },
      'a = 1\r\n[mcp_servers."hub"]\r\ncommand = "npx"\r\nomit_tools_from = [ "deferred" ]\r\n',
    ],
    [
      "next to a server that is removed",
      {
        client: "claude-code",
        text: '{\n  "mcpServers": {\n    "a": { "command": "a" },\n    "hub": { "command": "npx" }\n  }\n}\n',
        registered: ["mcpServers.hub"],
        remove: ["mcpServers.a"],
      },
      '{\n  "mcpServers": {\n    "hub": { "command": "npx", "alwaysLoad": true }\n  }\n}\n',
    ],
  ])("gets the key that it lacks: %s", async (_name, one, expected) => {
    const result = await rewrite(one);
    expect(textOf(result)).toBe(expected);
    expect(result).toMatchObject({ completed: [{ name: "hub", keys: [expect.any(String)] }] });
  });

  it("is in the changed sections once, also if its map changes", async () => {
    const text = '{ "mcpServers": { "a": { "command": "a" }, "hub": { "command": "npx" } } }';
    const parts = { client: "claude-code", text, registered: ["mcpServers.hub"] } as const;
    expect(await rewrite(parts)).toMatchObject({ sections: [["mcpServers", "hub"]] });
    expect(await rewrite({ ...parts, remove: ["mcpServers.a"] })).toMatchObject({ sections: [["mcpServers"]] });
  });

  it.each<[string, Case]>([
    [
      "has another value",
      {
        client: "claude-code",
        text: '{ "mcpServers": { "hub": { "command": "npx", "alwaysLoad": false } } }',
        registered: ["mcpServers.hub"],
      },
    ],
    [
      "belongs to a client without such a key",
      { client: "zed", text: '{ "context_servers": { "hub": { "command": "npx" } } }', registered: ["hub"] },
    ],
    [
      "starts a gateway that lists the tools of all servers",
      {
        client: "claude-code",
        text: '{ "mcpServers": { "hub": { "command": "npx" } } }',
        registered: ["mcpServers.hub"],
        loadsTools: false,
      },
    ],
    [
      "is an inline table, which is not edited",
      {
        client: "codex",
        path: "/x/config.toml",
        text: '[mcp_servers]\nhub = { command = "npx" }\n',
        registered: ["mcp_servers.hub"],
      },
    ],
  ])("stays as it is if it %s", async (_name, one) => {
    expect(await rewrite(one)).toEqual({ kind: "unchanged" });
  });

  it("does not prevent other changes if it cannot be edited", async () => {
    const text = '[mcp_servers]\nhub = { command = "npx" }\n\n[mcp_servers.a]\ncommand = "a"\n';
    const registered = ["mcp_servers.hub"];
    const result = await rewrite({
      client: "codex",
      path: "/x/config.toml",
      text,
      registered,
      remove: ["mcp_servers.a"],
    });
    expect(result).toMatchObject({ kind: "rewritten", completed: [] });
    expect(textOf(result)).toBe('[mcp_servers]\nhub = { command = "npx" }\n\n');
  });
});
