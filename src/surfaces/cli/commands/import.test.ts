import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCliPlace } from "../../../../test/support/cli.js";
import { CODEX, CONFIG, CURSOR, GATEWAY, setUpImports } from "../../../../test/support/import-place.js";
import { createTrust } from "../../../config/trust.js";
import type { ImportPage } from "../../../operations/import/report.js";

const { place, at, read, modeOf, run, runWith, page, cursor } = setUpImports();

describe("import", () => {
  it("reports that there is nothing to import", async () => {
    const { exit, stdout } = await run();
    expect([exit, stdout]).toEqual([
      0,
      "No configuration file of an MCP client was found.\n\nNothing to import: your configuration already has all servers.\n",
    ]);
  });

  it("shows the planned changes and writes nothing without a terminal", async () => {
    cursor({
      a: { command: "a", env: { K: "${env:A_KEY}", L: "${env:L:-x}" } },
      off: { command: "b", disabled: true },
      hub: { command: "npx", args: ["-y", "@anygpt/discovery"] },
    });
    place().write(
      CODEX,
      '[mcp_servers.a]\nurl = "https://a.example/mcp"\n\n[mcp_servers.same]\ncommand = "a"\nenv = { K = "${A_KEY}", L = "${L:-x}" }\n',
    );
    place().write(".gemini/settings.json", '{\n  "mcpServers": [1]\n}');
    const { exit, stdout, stderr } = await run();
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`Found 5 servers in files of 3 clients:

Cursor (~/.cursor/mcp.json)
  ✓ a: stdio, a
      ! needs A_KEY, which is not set
      uses L (has a default)
  - off: stdio, b - not imported: \`disabled\` is true
  - hub: stdio, npx - is this gateway

Gemini CLI (~/.gemini/settings.json)
  ✗ line 2:3: mcpServers: must be a map of servers by name - not imported

Codex CLI (~/.codex/config.toml)
  ✓ a: http, https://a.example - imported as a-2, because the name is already used
  = same: stdio, a - same server as a

To be written:
  + ~/.anygpt/mcp-discovery.config.json: gets 2 servers: a, a-2

The gateway will use this file instead of the files of MCP clients, unless \`sources\` in it lists them.

Nothing was written. Add --yes to write.
`);
    expect(existsSync(at(CONFIG))).toBe(false);
  });

  it("writes the configuration once, for its owner alone, in the gateway's own words", async () => {
    cursor({ a: { command: "a", disabledTools: ["x"] }, b: { url: "https://b.example/mcp" } });
    expect((await page("--yes")).written).toBe(true);
    expect(JSON.parse(read(CONFIG))).toEqual({
      servers: { a: { command: "a" }, b: { type: "http", url: "https://b.example/mcp" } },
      toolRules: [{ server: "a", pattern: ["x"], enabled: false }],
    });
    expect(modeOf(CONFIG)).toBe(0o600);
    const again = await page("--yes");
    expect([again.written, again.added, again.changes]).toEqual([false, [], []]);
    expect(again.files[0]!.servers.map(({ outcome }) => outcome)).toEqual(["known", "known"]);
    const valid = await place().runWith({ env: { ANYGPT_HOME: at(".anygpt") } }, "mcp", "config", "validate");
    expect(valid.exit).toBe(0);
  });

  it.each([
    [
      "json",
      '{\n  // mine\n  "servers": { "z": { "command": "z" } },\n  "search": { "limit": 3 }\n}\n',
      '{\n  // mine\n  "servers": { "z": { "command": "z" }, "a": { "command": "a" } },\n  "search": { "limit": 3 }\n}\n',
    ],
    [
      "yaml",
      "# mine\nservers:\n  z:\n    command: z\nsearch: {limit: 3}\n",
      "# mine\nservers:\n  z:\n    command: z\n  a:\n    command: a\nsearch: {limit: 3}\n",
    ],
  ])("adds to a configuration in %s and preserves the rest", async (format, before, after) => {
    cursor({ a: { command: "a" }, z: { command: "z" } });
    const file = `.anygpt/mcp-discovery.config.${format}`;
    place().write(file, before);
    await run("--yes");
    expect(read(file)).toBe(after);
    await run("--undo", "--yes");
    expect(read(file)).toBe(before);
  });

  it("warns that a configuration with only rules stops the use of the clients' files", async () => {
    cursor({ a: { command: "a" } });
    place().write(CONFIG, { cache: { ttl: 5 } });
    const ended = await page();
    expect(ended.endsZeroConfiguration).toBe(true);
    expect((await run()).stdout).toContain("The gateway will use this file instead of");
    place().write(CONFIG, { servers: { z: { command: "z" } } });
    expect((await page()).endsZeroConfiguration).toBe(false);
  });

  it("shows what to add to a configuration that is a program, and writes nothing", async () => {
    cursor({ a: { command: "a" } });
    place().write(".anygpt/mcp-discovery.config.mjs", "export default { servers: {} };\n");
    const { exit, stdout, stderr } = await run("--client", "cursor", "--yes");
    expect(exit).toBe(2);
    expect(stdout).toContain('{\n  "servers": {\n    "a": {\n      "command": "a"\n    }\n  }\n}\n');
    expect(stderr).toContain("is a JavaScript or TypeScript module, so it was not changed.");
    expect(read(CURSOR)).toContain('"a"');
    expect((await run("--yes", "--json")).json()).toMatchObject({
      success: false,
      error: { code: "CONFIGURATION_ERROR" },
    });
  });

  it("writes to the file that is named, and registers the gateway with it", async () => {
    cursor({ a: { command: "a" } });
    await run("--config", at("own.yaml"), "--client", "cursor", "--yes");
    expect(read("own.yaml")).toBe("servers:\n  a:\n    command: a\n");
    expect(JSON.parse(read(CURSOR))).toEqual({
      mcpServers: { anygpt: { ...GATEWAY, args: [...GATEWAY.args, "--config", at("own.yaml")] } },
    });
  });

  it("asks at a terminal, and treats a missing answer as no", async () => {
    cursor({ a: { command: "a" } });
    const no = await runWith({ isTerminal: true, stdin: "n\n" });
    expect(no.stderr).toContain("Write these files? [y/N]");
    expect(no.stdout).toContain("Nothing was written.\n");
    expect((await runWith({ isTerminal: true, stdin: "" })).stdout).toContain("Nothing was written.\n");
    expect(existsSync(at(CONFIG))).toBe(false);
    const yes = await runWith({ isTerminal: true, stdin: "yes\n" });
    expect(yes.stdout).toContain("`anygpt mcp import --undo` restores everything.");
    expect(existsSync(at(CONFIG))).toBe(true);
  });

  it("never asks or writes with --dry-run", async () => {
    cursor({ a: { command: "a" } });
    const { stdout, stderr } = await runWith({ isTerminal: true, stdin: "y\n" }, "--dry-run", "--yes");
    expect(stdout).toContain("Nothing was written.\n");
    expect(stderr).toBe("");
    expect(existsSync(at(".anygpt"))).toBe(false);
  });

  it.each([
    [["--client", "cursr"], 1, /"cursr" is not a known MCP client\..*Did you mean cursor\?/s],
    [["--secrets", "nowhere"], 1, /"nowhere" is not a valid value for --secrets/],
    [["--config", "x.txt"], 1, /does not have the extension of a configuration file/],
  ])("refuses %j", async (argv, code, message) => {
    const { exit, stderr } = await run(...argv);
    expect(exit).toBe(code);
    expect(stderr).toMatch(message);
  });

  it("does not change an invalid configuration and reports the error", async () => {
    cursor({ a: { command: "a" } });
    place().write(CONFIG, '{ "servrs": {} }');
    const { exit, stderr } = await run("--yes");
    expect(exit).toBe(2);
    expect(stderr).toContain('did you mean "servers"?');
  });

  it("uses a file of the project only once it is trusted, and never rewrites it", async () => {
    const project = createCliPlace();
    project.write(".mcp.json", { mcpServers: { theirs: { command: "t" } } });
    const env = { HOME: place().folder, ANYGPT_HOME: at(".anygpt") };
    const ran = await project.runWith({ env }, "mcp", "import", "--client", "claude-code", "--yes", "--json");
    expect((ran.json() as ImportPage).files).toMatchObject([
      { status: "untrusted", servers: [{ outcome: "untrusted" }] },
    ]);
    const bytes = readFileSync(join(project.folder, ".mcp.json"));
    await createTrust({ folder: at(".anygpt/trust"), now: Date.now }).record(join(project.folder, ".mcp.json"), bytes);
    const again = await project.runWith({ env }, "mcp", "import", "--client", "claude-code", "--yes", "--json");
    expect((again.json() as ImportPage).added).toEqual(["theirs"]);
    expect(readFileSync(join(project.folder, ".mcp.json"))).toEqual(bytes);
    project.remove();
  });

  it("uses a project's file in the home folder as the gateway itself does", async () => {
    place().write(".mcp.json", { mcpServers: { mine: { command: "m" } } });
    expect((await page("--yes")).added).toEqual(["mine"]);
  });

  it("writes the folder down for servers of a project that are found by it", async () => {
    place().write("server.js", "");
    place().write(".mcp.json", {
      mcpServers: {
        a: { command: "./bin/a" },
        b: { command: "node", args: ["server.js"] },
        c: { command: "c", args: ["--config=../c.json"] },
        d: { command: "npx", args: ["-y", "@some/server", "/data"] },
        e: { command: "./e", cwd: "sub" },
      },
    });
    await run("--yes");
    const { servers } = JSON.parse(read(CONFIG)) as { servers: Record<string, { cwd?: string }> };
    const { folder } = place();
    expect(Object.values(servers).map(({ cwd }) => cwd)).toEqual([folder, folder, folder, undefined, at("sub")]);
    expect((await page("--yes")).added).toEqual([]);
  });

  it("lists the files that were not imported if there is nothing else", async () => {
    place().write(CURSOR, "{ broken");
    const { stdout } = await run();
    expect(stdout).not.toContain("There is nothing to do");
    expect(stdout).toContain("✗ ~/.cursor/mcp.json was not imported. Correct it and run the command again.");
    rmSync(at(CURSOR));
    const project = createCliPlace();
    project.write(".mcp.json", { mcpServers: { theirs: { command: "t" } } });
    const env = { HOME: place().folder, ANYGPT_HOME: at(".anygpt") };
    const ran = await project.runWith({ env, columns: 300 }, "mcp", "import");
    project.remove();
    expect(ran.stdout).toMatch(/\.mcp\.json with 1 server was not imported, .* run `anygpt mcp config trust`\./);
  });

  it("writes through a symbolic link whose target does not exist yet", async () => {
    cursor({ a: { command: "a" } });
    mkdirSync(at(".anygpt"));
    symlinkSync("../dotfiles/config.json", at(CONFIG));
    expect((await run("--yes")).exit).toBe(0);
    expect(lstatSync(at(CONFIG)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(read("dotfiles/config.json"))).toEqual({ servers: { a: { command: "a" } } });
    await run("--undo", "--yes");
    expect([existsSync(at("dotfiles/config.json")), lstatSync(at(CONFIG)).isSymbolicLink()]).toEqual([false, true]);
  });

  it.each([
    [
      "with arguments is taken apart",
      `${process.execPath} /x/index.js 'a b'`,
      [process.execPath, "/x/index.js", "a b"],
    ],
    ["in quotes is taken apart", `"${process.execPath}" -v`, [process.execPath, "-v"]],
    ["that is no program is left alone", "/no/such/program x", ["/no/such/program x"]],
  ])("a path as command %s", async (_name, command, [program, ...args]) => {
    cursor({ a: { command } });
    await run("--yes");
    expect(JSON.parse(read(CONFIG))).toEqual({
      servers: { a: { command: program, ...(args.length === 0 ? {} : { args }) } },
    });
  });

  it("does not split a path with spaces if such a program exists", async () => {
    const program = place().write("bin/my server", "");
    chmodSync(program, 0o755);
    chmodSync(place().write("bin/my", ""), 0o755);
    cursor({ a: { command: program } });
    await run("--yes");
    expect(JSON.parse(read(CONFIG))).toEqual({ servers: { a: { command: program } } });
  });

  it("warns that allow-list rules disable new tools", async () => {
    cursor({ a: { command: "a" } });
    place().write(CONFIG, { toolRules: [{ pattern: "x", enabled: true }] });
    expect((await run()).stdout).toContain("Your toolRules list the enabled tools.");
  });
});

it.each([
  [
    "programs",
    ["--client", "c"],
    ["claude-code", "claude-desktop", "cline", "codex", "continue", "copilot-cli", "cursor"],
  ],
  ["all of them", ["--client", "al"], ["all"]],
  ["its options", ["--un"], ["--undo"]],
])("completes %s", async (_name, words, expected) => {
  const { stdout } = await place().run("__complete", "--", "mcp", "import", ...words);
  expect(stdout.trimEnd().split("\n")).toEqual(expected);
});
