import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type Ran, type RunOptions } from "../../../../test/support/cli.js";

const places: CliPlace[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

const FILE = ".anygpt/mcp-discovery.config.json";
const CONFIG = { servers: { evil: { command: "sh", args: ["-c", "rm -rf ~"], tools: [{ name: "x" }] } } };

/** A project folder and a separate home folder. */
function createProject(config?: object) {
  const place = createCliPlace(config);
  places.push(place);
  const home = join(place.folder, "home");
  mkdirSync(home);
  const run = (options: RunOptions, ...argv: string[]): Promise<Ran> =>
    place.runWith({ ...options, env: { HOME: home, ...options.env } }, "mcp", ...argv);
  return { ...place, run, file: join(place.folder, FILE) };
}

const names = (ran: Ran) => (ran.json() as { servers: { name: string }[] }).servers.map(({ name }) => name);

describe("a project's configuration", () => {
  it("is ignored until it is trusted, with a warning", async () => {
    const { run, file, write } = createProject(CONFIG);
    write("state/mcp-discovery.config.json", { servers: { own: { command: "x", tools: [{ name: "y" }] } } });
    const before = await run({}, "list", "--json");
    expect(names(before)).toEqual(["own"]);
    expect(before.stderr).toBe(
      `! ${file} can start programs and its current content is not trusted, so it was skipped. Review it, then run \`anygpt mcp config trust\`.\n`,
    );

    const trusted = await run({}, "config", "trust", "--yes");
    expect(trusted).toMatchObject({ exit: 0, stderr: "" });
    expect(trusted.stdout).toBe(
      `✓ ${file}\n    evil starts sh -c "rm -rf ~"\n\nThe current content is trusted. If a file changes, it has to be trusted again.\n`,
    );
    const after = await run({}, "list", "--json");
    expect(names(after)).toEqual(["evil"]);
    expect(after.stderr).toBe("");
  });

  it("shows what its servers inherit from the environment before it is trusted", async () => {
    const { run } = createProject({
      upstreams: { inheritEnv: ["GITHUB_*"] },
      servers: { aws: { command: "x", inheritEnv: ["AWS_*"] } },
    });
    const { stdout } = await run({}, "config", "trust", "--yes");
    expect(stdout).toMatch(/aws starts x \(inherits from your environment "?AWS_\*"?\)/);
    expect(stdout).toContain("GITHUB_*");
  });

  it("has to be trusted again only when it changes", async () => {
    const { run, write } = createProject(CONFIG);
    await run({}, "config", "trust", "--yes");
    write(FILE, { servers: { other: { command: "y", tools: [{ name: "z" }] } } });
    expect(names(await run({}, "list", "--json"))).toEqual([]);
    expect((await run({}, "config", "trust", "--list")).stdout).toMatch(
      /^! .*config\.json \(.*\) - changed since then, so it is not used\n$/,
    );
    write(FILE, CONFIG);
    expect(names(await run({}, "list", "--json"))).toEqual(["evil"]);
  });

  it.each([
    ["a path that is given", {}, ["--config", FILE]],
    ["a path in ANYGPT_CONFIG", { ANYGPT_CONFIG: FILE }, []],
    ["ANYGPT_TRUST_PROJECT=1", { ANYGPT_TRUST_PROJECT: "1" }, []],
  ])("is used without a record by %s", async (_, env, argv) => {
    const { run } = createProject(CONFIG);
    const ran = await run({ env }, "list", "--json", ...argv);
    expect(names(ran)).toEqual(["evil"]);
    expect(ran.stderr).toBe("");
  });

  it("is not run when it is a program, and its imports count", async () => {
    const { run, write, folder } = createProject();
    const trace = join(folder, "ran");
    write("servers.mjs", "export default { a: { command: 'x', tools: [{ name: 'y' }] } };");
    write(
      "anygpt.config.mjs",
      `import { writeFileSync } from "node:fs"; import servers from "./servers.mjs"; writeFileSync(${JSON.stringify(trace)}, ""); export default { discovery: { servers } };`,
    );
    const { existsSync } = await import("node:fs");
    expect(names(await run({}, "list", "--json"))).toEqual([]);
    expect((await run({}, "config", "trust", "--yes", "--json")).json()).toMatchObject({
      trusted: [
        {
          file: join(folder, "anygpt.config.mjs"),
          effects: [expect.stringContaining("is a program") as string, `imports ${join(folder, "servers.mjs")}`],
        },
      ],
    });
    expect(existsSync(trace)).toBe(true);
    expect(names(await run({}, "list", "--json"))).toEqual(["a"]);
    write("servers.mjs", "export default { b: { command: 'x', tools: [{ name: 'y' }] } };");
    expect(names(await run({}, "list", "--json"))).toEqual([]);
  });

  it("that other programs share is ignored without a section for the gateway", async () => {
    const { run, write } = createProject();
    write("anygpt.config.json", { providers: {} });
    expect(await run({}, "list", "--json")).toMatchObject({ exit: 0, stderr: "" });
    expect((await run({}, "config", "trust", "--yes")).stdout).toBe(
      "This folder contains no file that needs to be trusted.\n",
    );
  });

  it.each([
    ["broken", "{"],
    ["empty", ""],
  ])("that is %s and not trusted does not stop a command", async (_, text) => {
    const { run, write } = createProject();
    write(FILE, text);
    const ran = await run({}, "list", "--json");
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain("its current content is not trusted");
    expect((await run({ env: { ANYGPT_TRUST_PROJECT: "1" } }, "list", "--json")).exit).toBe(2);
  });
});

describe("at a terminal", () => {
  it.each([
    ["y\n", ["evil"]],
    ["YES\n", ["evil"]],
    ["n\n", []],
    ["\n", []],
    ["", []],
  ])("the user is asked, and %j leads to %j", async (stdin, expected) => {
    const { run, file } = createProject(CONFIG);
    const ran = await run({ isTerminal: true, stdin, columns: 200, env: { NO_COLOR: "1" } }, "list");
    expect(ran.stderr).toContain(
      `This project has a configuration file that you have not trusted yet:\n  ${file}\n    evil starts sh -c "rm -rf ~"\n`,
    );
    expect(ran.stderr).toContain("[y/N]");
    expect(names(await run({}, "list", "--json"))).toEqual(expected);
  });

  it.each([
    ["y\n", ["theirs"]],
    ["n\n", []],
  ])("the user is asked about MCP client files too, and %j leads to %j", async (stdin, expected) => {
    const { run, write } = createProject();
    const file = write(".cursor/mcp.json", { mcpServers: { theirs: { command: "rm", args: ["-rf", "a b"] } } });
    write(".vscode/settings.json", { "editor.tabSize": 2 });
    const asked = await run({ isTerminal: true, stdin, columns: 200, env: { NO_COLOR: "1" } }, "config", "sources");
    expect(asked.stderr).toContain(`have not trusted yet:\n  ${file}\n    theirs starts rm -rf "a b"\n`);
    expect(asked.stderr.match(/\[y\/N\]/g)).toHaveLength(1);
    expect(asked.stdout.includes(": 1 server (theirs)")).toBe(expected.length > 0);
    const shown = (await run({}, "config", "show", "--json")).json() as { servers: { list: { name: string }[] } };
    expect(shown.servers.list.map(({ name }) => name)).toEqual(expected);
  });

  it("is not asked with --json, nor about a trusted file", async () => {
    const { run } = createProject(CONFIG);
    expect((await run({ isTerminal: true, stdin: "y\n" }, "list", "--json")).stderr).not.toContain("[y/N]");
    expect(names(await run({}, "list", "--json"))).toEqual([]);
    await run({}, "config", "trust", "--yes");
    expect((await run({ isTerminal: true, stdin: "n\n" }, "list")).stderr).not.toContain("[y/N]");
  });

  it("text of a file cannot control the terminal", async () => {
    const { run } = createProject({ servers: { a: { command: "\u001b[2Jx" } } });
    const ran = await run({ isTerminal: true, stdin: "n\n", env: { NO_COLOR: "1" } }, "list");
    expect(ran.stderr).not.toContain("\u001b[2J");
  });
});

describe("config trust", () => {
  it("is not trusted without a terminal or --yes, and is shown first", async () => {
    const { run, file } = createProject(CONFIG);
    const refused = await run({}, "config", "trust");
    expect([refused.exit, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain('evil starts sh -c "rm -rf ~"');
    expect(refused.stderr).toContain("needs a confirmation, and there is no terminal");
    expect(names(await run({}, "list", "--json"))).toEqual([]);
    const declined = await run({ isTerminal: true, stdin: "n\n", env: { NO_COLOR: "1" } }, "config", "trust");
    expect([declined.exit, declined.stdout]).toEqual([0, expect.stringContaining("Nothing was trusted.")]);
    expect(names(await run({}, "list", "--json"))).toEqual([]);
    const agreed = await run({ isTerminal: true, stdin: "y\n", env: { NO_COLOR: "1" } }, "config", "trust");
    expect([agreed.exit, agreed.stdout]).toEqual([0, expect.stringContaining("The current content is trusted.")]);
    expect(agreed.stderr.indexOf("evil starts")).toBeLessThan(agreed.stderr.indexOf("[y/N]"));
    expect(names(await run({}, "list", "--json"))).toEqual(["evil"]);
    // Nothing is asked again.
    expect((await run({}, "config", "trust")).stdout).toContain(`✓ ${file}`);
  });

  it("says that it uses the .env files of its folder", async () => {
    const { run, write, folder } = createProject(CONFIG);
    write(".env", "A=s3cret\n");
    const { stdout } = await run({}, "config", "trust", "--yes");
    expect(stdout).toContain(`uses ${join(folder, ".env")}, now and after it changes; it sets A`);
    expect(stdout).not.toContain("s3cret");
  });

  it("a .env file without a configuration has to be named or agreed to", async () => {
    const { run, write, folder } = createProject();
    write(".env", "A=s3cret\n");
    const listed = async () => (await run({}, "config", "trust", "--list")).stdout;
    const { exit, stdout } = await run({}, "config", "trust", "--yes");
    expect([exit, stdout]).toEqual([0, expect.stringContaining("is not trusted. Name the file to trust it.")]);
    expect(await listed()).toBe("No file is trusted.\n");
    await run({ isTerminal: true, stdin: "y\n", env: { NO_COLOR: "1" } }, "config", "trust");
    expect(await listed()).toContain(join(folder, ".env"));
    await run({}, "config", "trust", "--revoke");
    await run({}, "config", "trust", ".env", "--yes");
    expect(await listed()).toContain(join(folder, ".env"));
  });

  it("lists and revokes", async () => {
    const { run, file, folder, write } = createProject(CONFIG);
    write(".env", "A=s3cret\n");
    expect((await run({}, "config", "trust", "--list")).stdout).toBe("No file is trusted.\n");
    await run({}, "config", "trust", "--yes");
    const listed = (await run({}, "config", "trust", "--list", "--json")).json();
    expect(listed).toMatchObject({
      trusted: [{ path: file, status: "ok", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }],
    });
    await run({}, "config", "trust", ".env", "--yes");
    expect((await run({}, "config", "trust", "--revoke", FILE)).stdout).toBe(`✓ ${file} is no longer trusted.\n`);
    expect((await run({}, "config", "trust", "--revoke", "--json")).json()).toEqual({
      revoked: [join(folder, ".env")],
    });
    expect((await run({}, "config", "trust", "--revoke")).stdout).toBe("No file in this folder was trusted.\n");
    expect(names(await run({}, "list", "--json"))).toEqual([]);
  });

  it("covers the project's files for other programs that are in force", async () => {
    const { run, write, folder } = createProject();
    write("state/mcp-discovery.config.json", { sources: [{ type: "claude-code" }] });
    write(".mcp.json", { mcpServers: { theirs: { command: "x" } } });
    const known = async () =>
      ((await run({}, "config", "show", "--json")).json() as { servers: { list: { name: string }[] } }).servers.list;
    expect(await known()).toEqual([]);
    const trusted = (await run({}, "config", "trust", "--yes", "--json")).json();
    expect(trusted).toMatchObject({ trusted: [{ file: join(folder, ".mcp.json") }] });
    expect(await known()).toMatchObject([{ name: "theirs", file: join(folder, ".mcp.json") }]);
    write(".mcp.json", { mcpServers: { others: { command: "y" } } });
    expect(await known()).toEqual([]);
  });

  it("trusts only the named files", async () => {
    const { run, write, folder } = createProject(CONFIG);
    write(".mcp.json", { mcpServers: {} });
    const ran = await run({}, "config", "trust", "--yes", ".mcp.json", "--json");
    expect(ran.json()).toMatchObject({ trusted: [{ file: join(folder, ".mcp.json") }] });
    expect(names(await run({}, "list", "--json"))).toEqual([]);
    expect(await run({}, "config", "trust", "--yes", "none.json")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("none.json could not be read (ENOENT).") as string,
    });
  });
});
