import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, testServer } from "../support/gateway.js";

const run = promisify(execFile);

/** What `npm install @anygpt/discovery` leaves in an empty folder: the packed files and the production dependencies. */
let folder: string;
let installed: string;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-package-"));
  env = { PATH: process.env["PATH"] ?? "", HOME: folder, ANYGPT_DAEMON: "0" };
  const npm = { cwd: ROOT, env: { ...env, npm_config_cache: join(folder, "npm-cache") } };
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], npm);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run("tar", ["-xzf", join(folder, filename), "-C", folder]);
  const scope = join(folder, "node_modules/@anygpt");
  mkdirSync(scope, { recursive: true });
  installed = join(scope, "discovery");
  cpSync(join(folder, "package"), installed, { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), link);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packed package", () => {
  it("holds what it needs and nothing else", () => {
    expect(readdirSync(installed).sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "NOTICE",
      "README.md",
      "bin",
      "directory",
      "dist",
      "docs",
      "model",
      "package.json",
    ]);
    expect(readFileSync(join(installed, "dist/THIRD_PARTY_LICENSES.txt"), "utf8")).toContain(
      "@modelcontextprotocol/server",
    );
  });

  it.each(["anygpt", "discovery"])("runs its program %s", async (name) => {
    const program = [join(installed, `bin/${name}.js`), "--version"];
    const { stdout } = await run(process.execPath, program, { cwd: folder, env });
    expect(stdout.trim()).toBe(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version);
  });

  it("serves an MCP client, with a TypeScript configuration found in the project", async () => {
    mkdirSync(join(folder, ".anygpt"));
    const { command, args } = testServer("echo.mjs");
    writeFileSync(
      join(folder, ".anygpt/mcp-discovery.config.ts"),
      `import { defineConfig } from "@anygpt/discovery";
       const command: string = ${JSON.stringify(command)};
       export default defineConfig({ servers: { echo: { command, args: ${JSON.stringify(args)} } } });`,
    );
    const client = new Client({ name: "stranger", version: "1" });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(installed, "bin/discovery.js")],
        env,
        cwd: folder,
        stderr: "ignore",
      }),
    );
    const result = await client.callTool({
      name: "execute_tool",
      arguments: { server: "echo", tool: "add", arguments: { a: 2, b: 2 } },
    });
    expect(result.content).toEqual([{ type: "text", text: "4" }]);
    await client.close();
  });

  it.each(["table", "--json"])("says on the error output that its model is missing (%s)", async (form) => {
    const bare = join(folder, `bare-${form}`);
    cpSync(installed, bare, { recursive: true, filter: (path) => !path.endsWith(".bin") });
    const write = (name: string, content: object) => writeFileSync(join(bare, name), JSON.stringify(content));
    write("config.json", { servers: { echo: testServer("echo.mjs") } });
    write("tools.json", [{ server: "a", name: "read_file" }]);
    write("queries.json", [{ query: "read a file", relevant: [{ server: "a", name: "read_file" }] }]);
    const anygpt = (...words: string[]) =>
      run(process.execPath, [join(bare, "bin/anygpt.js"), "mcp", ...words, ...(form === "--json" ? [form] : [])], {
        cwd: bare,
        env: { ...env, HOME: bare },
      });
    const config = ["--config", "config.json"];
    const files = ["--catalog", "tools.json", "--queries", "queries.json"];
    const [searched, measured, byWords] = await Promise.all([
      anygpt("search", "add two numbers", ...config),
      anygpt("eval", ...files, ...config),
      anygpt("eval", ...files, ...config, "--words"),
    ]);
    const said = /^! Search goes by words alone: the model of this package could not be used \([^\n]*\n$/;
    expect(searched.stderr).toMatch(
      /^! Search goes by words alone: the model of this package could not be used \(.*$/m,
    );
    expect(measured.stderr).toMatch(said);
    expect(byWords.stderr).toBe("");
    expect(searched.stdout).toContain("add");
  });

  it("is typed without any other package installed", async () => {
    writeFileSync(
      join(folder, "use.ts"),
      `import { DiscoveryEngine, defineConfig, type DiscoveryConfig } from "@anygpt/discovery";
       const config: DiscoveryConfig = defineConfig({ servers: { a: { command: "x" } } });
       export const names: Promise<string[]> = new DiscoveryEngine(config).listServers().then((all) => all.map(({ name }) => name));
       // @ts-expect-error -- a misspelt key must not pass
       defineConfig({ serverz: {} });
       // @ts-expect-error -- and nothing may have fallen back to any
       new DiscoveryEngine({ cache: { ttl: "1h" } });`,
    );
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "use.ts"];
    const tsc = [join(ROOT, "node_modules/typescript/bin/tsc"), ...options];
    const complaints = await run(process.execPath, tsc, { cwd: folder }).catch((error: { stdout: string }) => error);
    expect(complaints.stdout).toBe("");
  });
});
