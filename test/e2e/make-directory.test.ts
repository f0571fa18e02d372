// Tests the script that builds the directory of public servers, with a package registry on loopback.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DirectoryEntry } from "../../src/directory/entry.js";
import { directoryFile } from "../../src/directory/file.js";
import { ROOT } from "../support/gateway.js";
import { type NpmRegistry, openNpmRegistry } from "../support/npm-registry.js";

/** Answers only if started with its subcommand and its key, as some servers require. */
const PROGRAM = `
if (process.argv[2] !== "mcp") {
  console.error("Commands:\\n  mcp   Start the MCP server");
  process.exit(1);
}
if (process.env.SMS_API_KEY === undefined) {
  console.error("Error: SMS_API_KEY is required");
  process.exit(1);
}
const tools = [{ name: "send_sms", description: "Send a text message to a phone.", inputSchema: { type: "object" } }];
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "sms", title: "Acme SMS", version: "1" } },
  "tools/list": { tools },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
});
`;

let registry: NpmRegistry;
let folder = "";
let servers: ReadonlyMap<string, DirectoryEntry>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "make-directory-"));
  registry = await openNpmRegistry([
    {
      name: "acme-sms",
      version: "1.2.3",
      manifest: { description: "Text messages.", license: "MIT", bin: "server.js" },
      files: { "server.js": PROGRAM },
    },
    {
      name: "acme-closed",
      manifest: { description: "Not free.", license: "UNLICENSED", bin: "server.js" },
      files: {
        "server.js": 'server.tool("create_card", "Creates a card on a board.", {});',
        "README.md": "# Cards",
      },
    },
  ]);
  await writeFile(join(folder, "packages.txt"), "acme-sms\nacme-closed\nacme-unknown\n");
  const out = join(folder, "servers.json.gz");
  const options = { cache: join(folder, "cache"), packages: join(folder, "packages.txt"), npm: registry.url, out };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  await promisify(execFile)(process.execPath, [join(ROOT, "scripts/directory/make.mjs"), ...flags]);
  const made = directoryFile.parse(JSON.parse(gunzipSync(await readFile(out)).toString()));
  servers = new Map(made.servers.map((entry) => [entry.name, entry]));
});

afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

it("lists the packages that exist", () => {
  expect([...servers.keys()]).toEqual(["acme-closed", "acme-sms"]);
});

it("starts a server with its subcommand and the required variable, and stores words of its tools", () => {
  expect(servers.get("acme-sms")).toMatchObject({
    title: "Acme SMS",
    description: "Text messages.",
    package: { version: "1.2.3", integrity: expect.stringMatching(/^sha512-/u) as string },
    arguments: [{ value: "mcp" }],
    variables: [{ name: "SMS_API_KEY", isRequired: true, isSecret: true }],
    tools: [{ name: "send_sms", words: "message phone Send text" }],
  });
});

it("stores only names for a package without a permissive licence, read from its source if it does not start", () => {
  expect(servers.get("acme-closed")).toMatchObject({ description: "", tools: [{ name: "create_card", words: "" }] });
});
