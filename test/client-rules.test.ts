import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../src/sources/clients/table.js";
import { parseSection } from "../src/sources/formats/parse.js";
import { CLIENT_IDS, type ClientId } from "../src/sources/options.js";
import { CONFIG, GATEWAY, setUpImports } from "./support/import-place.js";
import { ROOT } from "./support/gateway.js";

const { at, place, read, page } = setUpImports();

/** What `import --client` does in the file of one client. */
interface Rule {
  readonly client: ClientId;
  /** A file of the client with one server. */
  readonly before: string;
  /** The map or list of servers afterwards. */
  readonly servers: unknown;
  readonly path: readonly string[];
  /** The key with which the entry asks the client to load the tools at once. */
  readonly key?: string;
  readonly file?: string;
}

const A = { command: "a" };
const { command, args } = GATEWAY;
const plain = (client: ClientId): Rule => ({
  client,
  before: JSON.stringify({ mcpServers: { a: A } }),
  path: ["mcpServers"],
  servers: { anygpt: GATEWAY },
});

const GOOSE = {
  name: "anygpt",
  description: "All other servers",
  type: "stdio",
  enabled: true,
  cmd: command,
  args,
  envs: {},
  timeout: 300,
};

const RULES: readonly Rule[] = [
  plain("claude-desktop"),
  {
    ...plain("claude-code"),
    servers: { anygpt: { type: "stdio", ...GATEWAY, alwaysLoad: true } },
    key: "alwaysLoad",
  },
  plain("cursor"),
  plain("windsurf"),
  {
    client: "vscode",
    before: JSON.stringify({ servers: { a: A } }),
    path: ["servers"],
    servers: { anygpt: { type: "stdio", ...GATEWAY } },
  },
  plain("cline"),
  plain("roo"),
  plain("gemini-cli"),
  {
    client: "codex",
    before: '[mcp_servers.a]\ncommand = "a"\n',
    path: ["mcp_servers"],
    servers: { anygpt: { ...GATEWAY, omit_tools_from: ["deferred"] } },
    key: "omit_tools_from",
  },
  {
    client: "zed",
    before: JSON.stringify({ context_servers: { a: A } }),
    path: ["context_servers"],
    servers: { anygpt: GATEWAY },
  },
  {
    client: "continue",
    before: "mcpServers:\n  - name: a\n    command: a\n",
    path: ["mcpServers"],
    servers: [{ name: "anygpt", ...GATEWAY }],
  },
  {
    client: "goose",
    before: "extensions:\n  a:\n    type: stdio\n    cmd: a\n    enabled: true\n",
    path: ["extensions"],
    servers: { anygpt: GOOSE },
  },
  plain("junie"),
  plain("lm-studio"),
  {
    client: "opencode",
    before: JSON.stringify({ mcp: { a: { type: "local", command: ["a"] } } }),
    path: ["mcp"],
    servers: { anygpt: { type: "local", command: [command, ...args], enabled: true } },
  },
  {
    client: "opencode",
    before: JSON.stringify({ mcp: { servers: { a: { type: "local", command: ["a"] } } } }),
    path: ["mcp", "servers"],
    servers: { anygpt: { type: "local", command: [command, ...args], codemode: false } },
    key: "codemode",
  },
  {
    ...plain("copilot-cli"),
    servers: { anygpt: { type: "local", ...GATEWAY, tools: ["*"], deferTools: "never" } },
    key: "deferTools",
  },
  plain("amazon-q"),
  plain("kiro"),
  plain("warp"),
  plain("antigravity"),
];

/** The first file of the user that this client has, as a path in the home folder. */
function fileOf(client: ClientId): string {
  const home = place().folder;
  const system = { platform: process.platform, home, cwd: join(home, "project"), env: {} };
  const own = CLIENTS[client].locations(system).filter(({ scope, path }) => scope === "user" && !path.includes("*"));
  return relative(home, own[0]?.path ?? "");
}

async function serversIn({ client, path }: Rule, file: string): Promise<unknown> {
  const home = place().folder;
  const system = { platform: process.platform, home, cwd: home, env: {} };
  const parsed = await parseSection(read(file), CLIENTS[client].layoutOf(file).section(system));
  const document: unknown = parsed.kind === "faults" ? undefined : parsed.document.value;
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document);
}

it("covers every client whose file can contain the gateway", () => {
  const covered = new Set(RULES.map(({ client }) => client));
  expect(CLIENT_IDS.filter((id) => !covered.has(id))).toEqual(["docker-mcp"]);
});

describe.each(RULES.map((rule) => [`${rule.client} (${rule.path.join(".")})`, rule] as const))("%s", (_, rule) => {
  const { client, before, servers } = rule;

  it("gets the entry with its key, once, and the original bytes back", async () => {
    const file = fileOf(client);
    place().write(file, before);
    expect((await page("--client", client, "--yes")).rewrites).toMatchObject([{ status: "rewritten", removed: ["a"] }]);
    expect(await serversIn(rule, file)).toEqual(servers);
    const after = read(file);
    expect((await page("--client", client, "--yes")).changes).toEqual([]);
    expect(read(file)).toBe(after);
    await page("--undo", "--yes");
    expect(read(file)).toBe(before);
  });

  it("has a row in the documentation that names what is written", () => {
    const text = readFileSync(join(ROOT, "docs/how-to/clients.md"), "utf8");
    const table = text.slice(text.indexOf("## Clients that load tools on demand"));
    const row = table.split("\n").find((line) => line.split(" | ")[1] === `\`${client}\``);
    const [, , , written = "", source = ""] = row?.split(" | ") ?? [];
    expect(source).toMatch(/(?:https:\/\/|no source found).*20\d\d/);
    const key = RULES.find((one) => one.client === client && one.key !== undefined)?.key;
    expect(written).toMatch(key === undefined ? /^nothing/ : new RegExp(`^\`${key}\\b`));
  });
});

const KEYED = RULES.filter(({ client, key }) => key !== undefined && client !== "codex");

it.each(KEYED)("adds $key to an entry for the gateway that $client has already, and undoes it", async (rule) => {
  const { client, key = "", path } = rule;
  const file = fileOf(client);
  const entry: object =
    client === "opencode" ? { type: "local", command: [command, ...args] } : { command, args, env: { A: "1" } };
  const document = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), { hub: entry });
  const before = `${JSON.stringify(document, null, 2)}\n`;
  place().write(file, before);
  const { rewrites, changes } = await page("--client", client, "--yes");
  expect(rewrites).toMatchObject([{ status: "rewritten", removed: [], kept: [] }]);
  expect(changes).toEqual([{ file: at(file), what: `adds ${key} to hub` }]);
  const [added] = Object.values(rule.servers as Record<string, Record<string, unknown>>);
  expect(await serversIn(rule, file)).toEqual({ hub: { ...entry, [key]: added?.[key] } });
  expect((await page("--client", client, "--yes")).changes).toEqual([]);
  await page("--undo", "--yes");
  expect(read(file)).toBe(before);
});

it("writes no key if the configuration lists the tools of all servers", async () => {
  place().write(CONFIG, { mode: "full", servers: {} });
  const file = fileOf("claude-code");
  place().write(file, JSON.stringify({ mcpServers: { a: A } }));
  await page("--client", "claude-code", "--yes");
  expect(JSON.parse(read(file))).toEqual({ mcpServers: { anygpt: { type: "stdio", ...GATEWAY } } });
});
