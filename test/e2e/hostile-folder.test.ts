// What a cloned repository can do to the gateway that an MCP client starts in its folder: with plain npx, with the
// entries that `import` writes, and with the form of npx that the documentation recommends.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gatewayProgram } from "../../src/sources/rewrite/slots.js";
import { ANYGPT, INITIALIZE, ROOT } from "../support/gateway.js";
import { type NpmRegistry, openNpmRegistry } from "../support/npm-registry.js";

const run = promisify(execFile);
const NAME = "@anygpt/discovery";

let folder: string;
let home: string;
let hostile: string;
let marks: string;
let registry: NpmRegistry;
let hostileRegistry: NpmRegistry;

const program = (text: string): string => `#!/usr/bin/env node\nconsole.log(${JSON.stringify(text)});\n`;

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-hostile-"));
  [home, hostile, marks] = [join(folder, "home"), join(folder, "repository"), join(folder, "marks")];
  for (const one of [home, hostile, marks]) mkdirSync(one);
  const packed = (text: string) => ({
    name: NAME,
    version: "9.0.0",
    manifest: { bin: { discovery: "bin/discovery.js", anygpt: "bin/discovery.js" } },
    files: { "bin/discovery.js": program(text) },
  });
  registry = await openNpmRegistry([packed("the genuine package")]);
  hostileRegistry = await openNpmRegistry([packed("the package of the repository's registry")]);
  write(join(home, ".npmrc"), `registry=${registry.url}\naudit=false\nupdate-notifier=false\n`);

  const mark = (name: string): string => `require("node:fs").writeFileSync(${JSON.stringify(join(marks, name))}, "");`;
  const script = (name: string): string =>
    `#!/bin/sh\n: > '${join(marks, name)}'\necho the ${name} of the repository\n`;
  const copy = join(hostile, "node_modules", NAME);
  write(
    join(copy, "bin/discovery.js"),
    `#!/usr/bin/env node\n${mark("package")}console.log("the package of the repository");\n`,
  );
  write(join(copy, "package.json"), JSON.stringify({ name: NAME, version: "9.0.0", bin: packed("").manifest.bin }));
  for (const name of ["anygpt", "discovery", "node", "npx", "sh"]) {
    write(join(hostile, "node_modules/.bin", name), script(name), 0o755);
  }
  write(join(hostile, "shell"), script("script-shell"), 0o755);
  write(join(hostile, "preload.cjs"), mark("preload"));
  write(
    join(hostile, ".npmrc"),
    [
      `registry=${hostileRegistry.url}`,
      `@anygpt:registry=${hostileRegistry.url}`,
      `script-shell=${join(hostile, "shell")}`,
      `node-options=--require=${join(hostile, "preload.cjs")}`,
      `cache=${join(hostile, "cache")}`,
      "yes=true",
      "",
    ].join("\n"),
  );
  write(
    join(hostile, "package.json"),
    JSON.stringify({
      name: "repository",
      version: "1.0.0",
      bin: { discovery: "shell", anygpt: "shell" },
      overrides: { [NAME]: "file:./node_modules/@anygpt/discovery" },
      workspaces: ["node_modules/@anygpt/*"],
    }),
  );
});
afterAll(async () => {
  await Promise.all([registry.close(), hostileRegistry.close()]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const env = (): Record<string, string> => ({ PATH: process.env["PATH"] ?? "", HOME: home, ANYGPT_DAEMON: "0" });
const marked = (): string[] =>
  ["package", "anygpt", "discovery", "node", "npx", "sh", "script-shell", "preload"].filter((name) =>
    existsSync(join(marks, name)),
  );

interface Started {
  readonly text: string;
  /** What ran instead of the program, or before it. */
  readonly marks: readonly string[];
}

/** Starts an entry of a client in the folder of the repository, and ends its input after its first line. */
async function startEntry({ command, args }: { command: string; args: readonly string[] }): Promise<Started> {
  for (const name of marked()) rmSync(join(marks, name));
  const child = spawn(command, [...args], { cwd: hostile, env: env(), stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined);
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...INITIALIZE })}\n`);
  let [text, complaint] = ["", ""];
  child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  const closed = once(child, "close");
  const isAnswered = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve();
    });
  });
  await Promise.race([isAnswered, closed]);
  child.stdin.end();
  await closed;
  return { text: text === "" ? complaint : text, marks: marked() };
}

describe.skipIf(process.platform === "win32")("in the folder of a hostile repository", () => {
  it.each([
    ["plain npx", ["-y", NAME]],
    ["npx with a version", ["-y", `${NAME}@9.0.0`]],
    ["npx with another prefix", ["-y", "--prefix", "HOME", "--prefer-offline", NAME]],
  ])("%s starts a program of the repository", async (_name, args) => {
    const given = args.map((word) => (word === "HOME" ? home : word));
    const { marks: ran } = await startEntry({ command: "npx", args: given });
    expect(ran).not.toEqual([]);
  });

  it("the form of npx for a program that is part of another one starts the genuine package", async () => {
    const start = gatewayProgram({ platform: process.platform });
    expect(await startEntry(start)).toEqual({ text: expect.stringContaining("the genuine package"), marks: [] });
    expect(hostileRegistry.downloads).toEqual([]);
  });

  it("the recommended form of npx starts the genuine package", async () => {
    const page = readFileSync(join(ROOT, "docs/how-to/clients.md"), "utf8");
    const [, script = ""] = /^\| `sh -c "([^"]+)"` \|/m.exec(page) ?? [];
    expect(script).toContain(NAME);
    const started = await startEntry({ command: "/bin/sh", args: ["-c", script] });
    expect(started).toEqual({ text: expect.stringContaining("the genuine package"), marks: [] });
  });
});

const CURSOR = '{\n  // mine\n  "mcpServers": { "files": { "command": "node", "args": ["/srv/files.js"] } }\n}\n';

describe.skipIf(process.platform === "win32")("an entry that import writes", () => {
  const cursor = (): string => join(home, ".cursor/mcp.json");
  const imported = async (anygpt: string) => {
    write(cursor(), CURSOR);
    const words = [anygpt, "mcp", "import", "--client", "cursor", "--yes", "--json"];
    await run(process.execPath, words, { env: env(), cwd: home });
    const text = readFileSync(cursor(), "utf8").replace("// mine", "");
    const { mcpServers } = JSON.parse(text) as { mcpServers: { anygpt: { command: string; args: string[] } } };
    return { entry: mcpServers.anygpt, undo: [anygpt, "mcp", "import", "--undo", "--yes"] };
  };

  it("by an installed gateway starts this gateway", async () => {
    const { entry, undo } = await imported(ANYGPT);
    expect(entry).toEqual({ command: process.execPath, args: [join(ROOT, "bin/discovery.js")] });
    const { text, marks: ran } = await startEntry(entry);
    expect([JSON.parse(text), ran]).toEqual([expect.objectContaining({ id: 0, result: expect.anything() }), []]);
    await run(process.execPath, undo, { env: env(), cwd: home });
    expect(readFileSync(cursor(), "utf8")).toBe(CURSOR);
  });

  it("by a gateway that npx started starts a copy of it, after npm has removed its folder", async () => {
    const npx = join(home, ".npm/_npx/0123456789abcdef/node_modules");
    const installed = join(npx, NAME);
    for (const part of ["bin", "dist", "directory", "package.json"]) {
      cpSync(join(ROOT, part), join(installed, part), { recursive: true });
    }
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(npx, name)), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), join(npx, name));
    }
    const { entry, undo } = await imported(join(installed, "bin/anygpt.js"));
    const script = join(home, ".anygpt/program/current/node_modules", NAME, "bin/discovery.js");
    expect(entry).toEqual({ command: process.execPath, args: [script] });
    rmSync(join(home, ".npm"), { recursive: true });
    const { text, marks: ran } = await startEntry(entry);
    expect([JSON.parse(text), ran]).toEqual([expect.objectContaining({ id: 0, result: expect.anything() }), []]);
    // The copy recognizes the entry as itself, and restores the file.
    const copied = join(dirname(script), "anygpt.js");
    const again = await run(process.execPath, [copied, "mcp", "import", "--client", "cursor", "--json"], {
      env: env(),
      cwd: home,
    });
    expect(JSON.parse(again.stdout)).toMatchObject({ changes: [] });
    await run(process.execPath, [copied, ...undo.slice(1)], { env: env(), cwd: home });
    expect(readFileSync(cursor(), "utf8")).toBe(CURSOR);
  });
});
