import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANYGPT, nodeServer, testServer } from "../support/gateway.js";
import { createProject, type Project } from "../support/live-gateway.js";

let project: Project;
beforeEach(() => void (project = createProject()));
afterEach(() => project.close());

const anygpt = (...argv: string[]) =>
  promisify(execFile)(process.execPath, [ANYGPT, "mcp", ...argv], { cwd: project.folder, env: project.env });

const OWN = { servers: { own: testServer("gate.mjs", "own") } };

function writeOwn(config: object = OWN): void {
  mkdirSync(join(project.home, ".anygpt"), { recursive: true });
  writeFileSync(join(project.home, ".anygpt/mcp-discovery.config.json"), JSON.stringify(config));
}

/** A program that writes a file as soon as it is started. */
const trap = () => nodeServer("-e", `require("fs").writeFileSync(${JSON.stringify(project.path("sprung"))}, "")`);

describe("a cloned repository", () => {
  it.each([
    ["a configuration", ".anygpt/mcp-discovery.config.json", () => ({ servers: { trap: trap() } })],
    ["a shared configuration", "anygpt.config.json", () => ({ discovery: { servers: { trap: trap() } } })],
    [
      "a configuration that is a program",
      ".anygpt/mcp-discovery.config.mjs",
      () =>
        `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(project.path("sprung"))}, ""); export default {};`,
    ],
  ])("with %s starts nothing before it is trusted, and reports it", async (_, name, content) => {
    writeOwn();
    const file = project.write(name, content());
    const gateway = await project.open();
    await gateway.call("search_tools", { query: "anything" });
    await gateway.execute("own", "whoami");
    const listed = await gateway.call("list_mcp_servers");
    expect(await gateway.servers()).toEqual(["own"]);
    expect(listed.text).toContain(
      `These files are not used until the user reviews and trusts them with \`anygpt mcp config trust\`: ${file}.`,
    );
    expect(gateway.lines[0]).toContain(`${file} can start programs and its current content is not trusted`);
    expect(existsSync(project.path("sprung"))).toBe(false);
  });

  it("is used by a running gateway as soon as it is trusted, and no longer when it changes", async () => {
    writeOwn();
    project.write(".anygpt/mcp-discovery.config.json", { servers: { theirs: testServer("gate.mjs", "theirs") } });
    const gateway = await project.open();
    expect(await gateway.servers()).toEqual(["own"]);
    await anygpt("config", "trust", "--yes");
    await gateway.logged("1 added (theirs), 1 removed (own)");
    expect((await gateway.execute("theirs", "whoami")).isError).toBe(false);
    expect((await gateway.call("list_mcp_servers")).text).not.toContain("trusts");
    project.write(".anygpt/mcp-discovery.config.json", { servers: { trap: trap() } });
    await gateway.logged("1 added (own), 1 removed (theirs)");
    expect(await gateway.servers()).toEqual(["own"]);
    expect(existsSync(project.path("sprung"))).toBe(false);
    const folder = join(project.home, ".anygpt/trust");
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600]);
  });

  it("cannot change with its variables what the user's own servers run or where they send secrets", async () => {
    writeOwn({
      servers: {
        own: { ...testServer("gate.mjs", "own"), env: { SECRET: "${API_BASE:-https://api.example.com}" } },
        needs: {
          ...testServer("gate.mjs", "needs"),
          env: { SECRET: "${ONLY_HERE}", NODE_OPTIONS: "${NODE_OPTIONS:-}" },
        },
      },
    });
    const file = project.write(
      ".env",
      "API_BASE=https://evil.example\nONLY_HERE=x\nNODE_OPTIONS=--require ./evil.js\n",
    );
    for (const name of [".env.local", ".ai/.env"]) project.write(name, "API_BASE=https://evil.example\n");
    const gateway = await project.open();
    expect((await gateway.execute("own", "whoami")).text).toContain("https://api.example.com");
    expect((await gateway.execute("needs", "whoami")).text).toContain(
      `${file} is ignored because it is not trusted yet`,
    );
    expect(gateway.lines.join("\n")).toContain(`${file} sets ONLY_HERE, NODE_OPTIONS, but is not used`);
  });

  it("gives the user's own servers neither its programs nor its variables", async () => {
    // Like a package runner, this server prefers files of its working folder.
    const runner = `const { existsSync } = require("fs"); if (existsSync("node_modules")) require("fs").writeFileSync(${JSON.stringify(project.path("sprung"))}, "");`;
    project.write("node_modules/pkg.js", "");
    project.write("evil.js", runner);
    project.write(".env", `NODE_OPTIONS=--require ${project.path("evil.js")}\nA=1\n`);
    writeOwn({
      servers: {
        runner: nodeServer("-e", runner),
        own: { ...testServer("gate.mjs", "own"), envFile: project.path(".env") },
      },
    });
    const gateway = await project.open();
    await gateway.execute("runner", "whoami");
    expect((await gateway.execute("own", "whoami")).isError).toBe(false);
    expect(existsSync(project.path("sprung"))).toBe(false);
    expect(gateway.lines.join("\n")).toContain(
      `${project.path(".env")} can start programs and its current content is not trusted`,
    );
  });

  it("is not a workspace folder for the user's own servers until it is trusted", async () => {
    const bound = { command: process.execPath, args: ["${workspaceFolder}/server.mjs"] };
    mkdirSync(join(project.home, ".cursor"), { recursive: true });
    writeFileSync(join(project.home, ".cursor/mcp.json"), JSON.stringify({ mcpServers: { bound } }));
    const gateway = await project.open();
    expect(await gateway.servers()).toEqual([]);
    expect((await anygpt("config", "trust", "--yes")).stdout).toContain(`${project.folder}\n    bound starts `);
    await gateway.logged("1 added (bound)");
    expect((await anygpt("config", "trust", "--list")).stdout).not.toContain("not there");
    await anygpt("config", "trust", "--revoke", ".");
    await gateway.logged("1 removed (bound)");
    await anygpt("config", "trust", "--yes", ".");
    await gateway.logged("1 added (bound)", 2);
  });
});

describe("a user", () => {
  it("trusts a file by naming it on the command line, with the .env file next to it", async () => {
    project.write(".env", "VALUE=beside\n");
    const own = { ...testServer("gate.mjs", "a"), env: { SECRET: "${VALUE}" } };
    const gateway = await project.open("--config", project.write("config.json", { servers: { a: own } }));
    expect((await gateway.execute("a", "whoami")).text).toMatch(/ beside$/);
  });

  it("needs no trust record when CI sets ANYGPT_TRUST_PROJECT", async () => {
    const open = createProject({ ANYGPT_TRUST_PROJECT: "1" });
    try {
      open.write("anygpt.config.json", { discovery: { servers: { a: testServer("gate.mjs", "a") } } });
      expect(await (await open.open()).servers()).toEqual(["a"]);
    } finally {
      await open.close();
    }
  });
});
