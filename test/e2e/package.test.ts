import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, testServer } from "../support/gateway.js";
import { type InstalledPackage, installPackage } from "../support/installed-package.js";

const run = promisify(execFile);

let packed: InstalledPackage;
let folder: string;
let installed: string;
let env: Record<string, string>;
beforeAll(async () => {
  packed = await installPackage();
  ({ folder, installed, env } = packed);
});
afterAll(() => packed.remove());

describe("the packed package", () => {
  it.each(["anygpt", "discovery"])("runs its command %s", async (name) => {
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

  it.each(["table", "--json"])("reports the missing model on standard error (%s)", async (form) => {
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
    const said = /^! Search matches words only, because the model of this package could not be loaded \([^\n]*\n$/;
    expect(searched.stderr).toMatch(
      /^! Search matches words only, because the model of this package could not be loaded \(.*$/m,
    );
    expect(measured.stderr).toMatch(said);
    expect(byWords.stderr).toBe("");
    expect(searched.stdout).toContain("add");
  });
});
