// A server that the real npx installs from a registry of the test into a cache of the test.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npxFolderOf } from "../../src/upstreams/install/npx-cache.js";
import { type NpmRegistry, openNpmRegistry, type PublishedPackage } from "./npm-registry.js";

/** An MCP server in one file that needs its two dependencies to start. `--stubborn`: it ignores the end of its input and SIGTERM. */
const SERVER = `#!/usr/bin/env node
const { createInterface } = require("node:readline");
const greeting = require("npx-test-first") + require("npx-test-second");
if (process.argv.includes("--stubborn")) {
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 60_000);
}
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
process.stdout.on("error", () => undefined);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "npx-test", version: "1.0.0" } });
  else if (method === "tools/list") answer(id, { tools: [{ name: "greet", inputSchema: { type: "object" } }] });
  else if (method === "tools/call") answer(id, { content: [{ type: "text", text: greeting + " " + process.pid }] });
  else if (id !== undefined)
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }) + "\\n");
});
`;

/** The dependency whose download the tests delay: the others are installed when npm waits for it. */
export const HELD_PACKAGE = "npx-test-second";

const toPackages = (name: string): readonly PublishedPackage[] => [
  {
    name,
    manifest: { bin: "server.js", dependencies: { "npx-test-first": "^1.0.0", [HELD_PACKAGE]: "^1.0.0" } },
    files: { "server.js": SERVER },
  },
  { name: "npx-test-first", files: { "index.js": 'module.exports = "hello";' } },
  { name: HELD_PACKAGE, files: { "index.js": 'module.exports = ", world";' } },
];

export interface NpxPlace {
  readonly registry: NpmRegistry;
  /** The name of the server's package: no process of another test has it in its command line. */
  readonly name: string;
  readonly folder: string;
  readonly cache: string;
  /** Where npx installs the package. */
  readonly npxFolder: string;
  /** The environment for the server's process. */
  readonly env: Readonly<Record<string, string>>;
  /** The server for a configuration. */
  server(...args: string[]): { command: string; args: string[]; env: Readonly<Record<string, string>> };
  /** The answer of the server when plain npx starts it: its text, or the reason of the failure. */
  tryPlainNpx(): Promise<string>;
  remove(): Promise<void>;
}

/** `version`: the suffix of the package name in the server's arguments. */
export async function openNpxPlace(version = ""): Promise<NpxPlace> {
  const name = `npx-test-${randomBytes(6).toString("hex")}`;
  const spec = `${name}${version}`;
  const folder = mkdtempSync(join(tmpdir(), "anygpt-npx-"));
  const registry = await openNpmRegistry(toPackages(name));
  const cache = join(folder, "npm-cache");
  const npmrc = join(folder, "npmrc");
  writeFileSync(npmrc, "");
  const env = {
    npm_config_registry: registry.url,
    npm_config_cache: cache,
    npm_config_userconfig: npmrc,
    npm_config_audit: "false",
    npm_config_update_notifier: "false",
  };
  const args = ["-y", spec];
  return {
    registry,
    name,
    folder,
    cache,
    npxFolder: npxFolderOf({ tool: "npx", packages: [spec], npm: { cache: undefined } }, env, folder) ?? "",
    env,
    server: (...more) => ({ command: "npx", args: [...args, ...more], env }),
    tryPlainNpx: () => greetOver(args, { PATH: process.env["PATH"] ?? "", HOME: folder, ...env }),
    async remove() {
      await registry.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function greetOver(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn("npx", args, { env, stdio: ["pipe", "pipe", "pipe"] });
    let [said, complained] = ["", ""];
    child.stderr.on("data", (chunk: Buffer) => (complained += chunk.toString()));
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const [, text] = /"text":"([^"]*)"/.exec(said) ?? [];
      if (text === undefined) return;
      resolve(text);
      child.stdin.end();
    });
    child.on("close", (code) => resolve(`npx exited with code ${code}: ${complained}`));
    child.stdin.on("error", () => undefined);
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "greet" } })}\n`,
    );
  });
}
