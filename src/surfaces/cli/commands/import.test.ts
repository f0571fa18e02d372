import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type Ran, type RunOptions } from "../../../../test/support/cli.js";
import { createTrust } from "../../../config/trust.js";
import type { ImportPage } from "../import/page.js";

let place: CliPlace;
beforeEach(() => void (place = createCliPlace()));
afterEach(() => place.remove());

const CURSOR = ".cursor/mcp.json";
const CODEX = ".codex/config.toml";
const CONFIG = ".anygpt/mcp-discovery.config.json";
const GATEWAY = { command: "npx", args: ["-y", "@anygpt/discovery"] };

const at = (file: string): string => join(place.folder, file);
const read = (file: string): string => readFileSync(at(file), "utf8");
const modeOf = (file: string): number => statSync(at(file)).mode & 0o777;

/** Runs in a folder that is not the home folder. */
async function run(...argv: string[]): Promise<Ran> {
  return await runWith({}, ...argv);
}
async function runWith(options: RunOptions, ...argv: string[]): Promise<Ran> {
  return await place.runWith(
    { ...options, env: { ANYGPT_HOME: at(".anygpt"), ...options.env } },
    "mcp",
    "import",
    ...argv,
  );
}
const page = async (...argv: string[]): Promise<ImportPage> => (await run(...argv, "--json")).json() as ImportPage;

const cursor = (servers: object): string =>
  place.write(CURSOR, `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`);

describe("import", () => {
  it("says when there is nothing", async () => {
    const { exit, stdout } = await run();
    expect([exit, stdout]).toEqual([
      0,
      "No file of another program was found.\n\nThere is nothing to do: all that can be imported is in place.\n",
    ]);
  });

  it("shows what it would write and writes nothing without a terminal", async () => {
    cursor({
      a: { command: "a", env: { K: "${env:A_KEY}", L: "${env:L:-x}" } },
      off: { command: "b", disabled: true },
      hub: GATEWAY,
    });
    place.write(
      CODEX,
      '[mcp_servers.a]\nurl = "https://a.example/mcp"\n\n[mcp_servers.same]\ncommand = "a"\nenv = { K = "${A_KEY}", L = "${L:-x}" }\n',
    );
    place.write(".gemini/settings.json", '{\n  "mcpServers": [1]\n}');
    const { exit, stdout, stderr } = await run();
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`Found 5 servers in files of 3 programs:

Cursor (~/.cursor/mcp.json)
  ✓ a: stdio, a
      ! needs A_KEY, not set
      uses L (has a default)
  - off: stdio, b - left out: \`disabled\` is true
  - hub: stdio, npx - this gateway itself

Gemini CLI (~/.gemini/settings.json)
  ✗ line 2:3: mcpServers: must be a map of servers by name - left as it is

Codex CLI (~/.codex/config.toml)
  ✓ a: http, https://a.example - as a-2, because the name is taken
  = same: stdio, a - the same as a

To be written:
  + ~/.anygpt/mcp-discovery.config.json: gets 2 servers: a, a-2

From then on the gateway uses that file, and not the files of other programs, unless its \`sources\` name them.

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
    const valid = await place.runWith({ env: { ANYGPT_HOME: at(".anygpt") } }, "mcp", "config", "validate");
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
  ])("extends a configuration in %s and keeps the rest of it", async (format, before, after) => {
    cursor({ a: { command: "a" }, z: { command: "z" } });
    const file = `.anygpt/mcp-discovery.config.${format}`;
    place.write(file, before);
    await run("--yes");
    expect(read(file)).toBe(after);
    await run("--undo", "--yes");
    expect(read(file)).toBe(before);
  });

  it("shows what to add to a configuration that is a program, and writes nothing", async () => {
    cursor({ a: { command: "a" } });
    place.write(".anygpt/mcp-discovery.config.mjs", "export default { servers: {} };\n");
    const { exit, stdout, stderr } = await run("--client", "cursor", "--yes");
    expect(exit).toBe(2);
    expect(stdout).toContain('{\n  "servers": {\n    "a": {\n      "command": "a"\n    }\n  }\n}\n');
    expect(stderr).toContain("is a program, which only you can change, so it was not written.");
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
      mcpServers: { anygpt: { command: "npx", args: ["-y", "@anygpt/discovery", "--config", at("own.yaml")] } },
    });
  });

  it("asks at a terminal, and takes no answer for a no", async () => {
    cursor({ a: { command: "a" } });
    const no = await runWith({ isTerminal: true, stdin: "n\n" });
    expect(no.stderr).toContain("Write these files? [y/N]");
    expect(no.stdout).toContain("Nothing was written.\n");
    expect((await runWith({ isTerminal: true, stdin: "" })).stdout).toContain("Nothing was written.\n");
    expect(existsSync(at(CONFIG))).toBe(false);
    const yes = await runWith({ isTerminal: true, stdin: "yes\n" });
    expect(yes.stdout).toContain("`anygpt mcp import --undo` puts everything back.");
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
    [["--client", "cursr"], 1, /No program is known as "cursr".*Did you mean cursor\?/s],
    [["--secrets", "nowhere"], 1, /--secrets cannot be "nowhere"/],
    [["--config", "x.txt"], 1, /has no extension/],
  ])("refuses %j", async (argv, code, message) => {
    const { exit, stderr } = await run(...argv);
    expect(exit).toBe(code);
    expect(stderr).toMatch(message);
  });

  it("leaves a wrong configuration alone and says what is wrong", async () => {
    cursor({ a: { command: "a" } });
    place.write(CONFIG, '{ "servrs": {} }');
    const { exit, stderr } = await run("--yes");
    expect(exit).toBe(2);
    expect(stderr).toContain('did you mean "servers"?');
  });

  it("uses a file of the project only once it is trusted, and never rewrites it", async () => {
    const project = createCliPlace();
    project.write(".mcp.json", { mcpServers: { theirs: { command: "t" } } });
    const env = { HOME: place.folder, ANYGPT_HOME: at(".anygpt") };
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
    place.write(".mcp.json", { mcpServers: { mine: { command: "m" } } });
    expect((await page("--yes")).added).toEqual(["mine"]);
  });

  it("writes the folder down for servers of a project that are found by it", async () => {
    place.write("server.js", "");
    place.write(".mcp.json", {
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
    const { folder } = place;
    expect(Object.values(servers).map(({ cwd }) => cwd)).toEqual([folder, folder, folder, undefined, at("sub")]);
    expect((await page("--yes")).added).toEqual([]);
  });

  it("says what was left out when there is nothing else", async () => {
    place.write(CURSOR, "{ broken");
    const { stdout } = await run();
    expect(stdout).not.toContain("There is nothing to do");
    expect(stdout).toContain("✗ ~/.cursor/mcp.json was left out: correct it and run the command again.");
    rmSync(at(CURSOR));
    const project = createCliPlace();
    project.write(".mcp.json", { mcpServers: { theirs: { command: "t" } } });
    const env = { HOME: place.folder, ANYGPT_HOME: at(".anygpt") };
    const ran = await project.runWith({ env, columns: 300 }, "mcp", "import");
    project.remove();
    expect(ran.stdout).toMatch(/\.mcp\.json was left out with 1 server, .* run `anygpt mcp config trust`\./);
  });

  it("writes through a link that leads nowhere yet", async () => {
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

  it("leaves a path with spaces alone where there is such a program", async () => {
    const program = place.write("bin/my server", "");
    chmodSync(program, 0o755);
    chmodSync(place.write("bin/my", ""), 0o755);
    cursor({ a: { command: program } });
    await run("--yes");
    expect(JSON.parse(read(CONFIG))).toEqual({ servers: { a: { command: program } } });
  });

  it("warns that rules which name what is enabled leave new tools out", async () => {
    cursor({ a: { command: "a" } });
    place.write(CONFIG, { toolRules: [{ pattern: "x", enabled: true }] });
    expect((await run()).stdout).toContain("Your toolRules name the tools that are enabled");
  });
});

describe("import of secrets", () => {
  const SECRET = "ghp_0123456789abcdef";
  const servers = {
    a: { command: "a", env: { GITHUB_TOKEN: SECRET } },
    b: { url: "https://b.example/mcp", headers: { Authorization: "Bearer b-s3cret" } },
    c: { command: "c", env: { GITHUB_TOKEN: "another's" } },
  };

  it("copies them with a warning and never prints them", async () => {
    cursor(servers);
    for (const argv of [[], ["--json"], ["--yes"], ["--secrets", "env", "--yes", "--json"], ["--undo"]]) {
      const { stdout, stderr } = await run(...argv);
      expect(stdout + stderr).not.toMatch(/ghp_|s3cret|another's/);
    }
    expect(read(CONFIG)).toContain(SECRET);
  });

  it("says where they are and how to move them", async () => {
    cursor(servers);
    expect((await run()).stdout).toContain(
      "a env.GITHUB_TOKEN, b headers.Authorization, c env.GITHUB_TOKEN. With `--secrets env`",
    );
  });

  it("moves them into ~/.ai/.env, each under a name of its own, and knows the servers again", async () => {
    cursor(servers);
    place.write(".ai/.env", "# mine\nOTHER=1");
    chmodSync(at(".ai/.env"), 0o644);
    const first = await page("--secrets", "env", "--yes");
    expect(first.secrets).toEqual({ copied: [], moved: ["GITHUB_TOKEN", "B_TOKEN", "C_GITHUB_TOKEN"], unset: [] });
    expect(read(".ai/.env")).toBe(
      `# mine\nOTHER=1\nGITHUB_TOKEN='${SECRET}'\nB_TOKEN='b-s3cret'\nC_GITHUB_TOKEN="another's"\n`,
    );
    expect(modeOf(".ai/.env")).toBe(0o600);
    expect(JSON.parse(read(CONFIG))).toMatchObject({
      servers: {
        a: { env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" } },
        b: { headers: { Authorization: "Bearer ${B_TOKEN}" } },
        c: { env: { GITHUB_TOKEN: "${C_GITHUB_TOKEN}" } },
      },
    });
    expect((await page("--secrets", "env")).changes).toEqual([]);
    await run("--undo", "--yes");
    expect([read(".ai/.env"), modeOf(".ai/.env"), existsSync(at(CONFIG))]).toEqual(["# mine\nOTHER=1", 0o644, false]);
  });
});

describe("import of secrets beside a configuration that is a program", () => {
  const SECRET = "ghp_0123456789abcdef";
  beforeEach(() => {
    cursor({ a: { command: "a", args: ["--api-key", "k3y-s3cret"], env: { GITHUB_TOKEN: SECRET } } });
    place.write(".anygpt/mcp-discovery.config.ts", "export default { servers: {} };\n");
  });

  it("prints variables in their place and names those to set", async () => {
    for (const argv of [[], ["--yes"], ["--json"], ["--secrets", "env"], ["--secrets", "env", "--yes"]]) {
      const { exit, stdout, stderr } = await run(...argv);
      expect([exit, (stdout + stderr).match(/ghp_|s3cret/)]).toEqual([2, null]);
    }
    rmSync(at(".ai"), { recursive: true });
    const { stdout, stderr } = await run("--yes");
    expect(stdout).toContain('"GITHUB_TOKEN": "${GITHUB_TOKEN}"');
    expect(stdout).toContain('"${A_API_KEY}"');
    expect(stderr).toContain("Set GITHUB_TOKEN, A_API_KEY to the secrets of those files");
    expect(existsSync(at(".ai/.env"))).toBe(false);
    expect((await page("--yes")).secrets).toEqual({ copied: [], moved: [], unset: ["GITHUB_TOKEN", "A_API_KEY"] });
  });

  it("says that ~/.ai/.env was not written as long as nobody has agreed", async () => {
    const { stderr } = await run("--secrets", "env");
    expect(stderr).toContain("~/.ai/.env was not written: it lacks GITHUB_TOKEN, A_API_KEY.");
    expect(existsSync(at(".ai/.env"))).toBe(false);
  });

  it("writes ~/.ai/.env with --secrets env, for its owner alone, and takes it back", async () => {
    const { exit, stdout, stderr } = await run("--secrets", "env", "--yes");
    expect([exit, stderr.includes("was not written: it lacks")]).toEqual([2, false]);
    expect(stdout).toContain("~/.ai/.env: gets GITHUB_TOKEN, A_API_KEY");
    expect(read(".ai/.env")).toBe(`GITHUB_TOKEN='${SECRET}'\nA_API_KEY='k3y-s3cret'\n`);
    expect(modeOf(".ai/.env")).toBe(0o600);
    await run("--undo", "--yes");
    expect(existsSync(at(".ai/.env"))).toBe(false);
  });
});

const ASKED = { isTerminal: true, stdin: "y\n", columns: 200 };

describe("import --client", () => {
  it("puts the gateway in the place of what was imported and keeps what was not", async () => {
    cursor({ a: { command: "a" }, off: { command: "b", disabled: true }, broken: { args: [1] } });
    const { rewrites } = await page("--client", "cursor", "--yes");
    expect(rewrites).toEqual([
      { client: "cursor", file: at(CURSOR), status: "rewritten", removed: ["a"], kept: ["off", "broken"], reasons: [] },
    ]);
    expect(JSON.parse(read(CURSOR))).toEqual({
      mcpServers: { anygpt: GATEWAY, off: { command: "b", disabled: true }, broken: { args: [1] } },
    });
    const again = await page("--client", "cursor", "--yes");
    expect([again.written, again.changes]).toEqual([false, []]);
  });

  it("also takes out what the configuration had before", async () => {
    cursor({ a: { command: "a" } });
    await run("--yes");
    expect((await page("--client", "cursor", "--yes")).rewrites[0]!.removed).toEqual(["a"]);
  });

  it.each<[string, object | undefined, object, string]>([
    [
      "is switched off in the configuration",
      { servers: { a: { command: "a", enabled: false } } },
      { command: "a" },
      "a is switched off in your configuration",
    ],
    [
      "is in a configuration that is switched off",
      { enabled: false },
      { command: "a" },
      "your configuration is switched off",
    ],
    [
      "needs a variable",
      undefined,
      { command: "a", env: { K: "${env:NOT_SET}", L: "${env:L:-x}" } },
      "NOT_SET is not set for the gateway (in the environment or in ~/.ai/.env)",
    ],
    [
      "needs what only the client asks for",
      undefined,
      { command: "a", args: ["${input:key}"] },
      "INPUT_KEY is not set for the gateway (in the environment or in ~/.ai/.env)",
    ],
    [
      "hides tools that the configuration does not hide",
      { servers: { a: { command: "a" } } },
      { command: "a", excludeTools: ["x"] },
      "your toolRules do not hide the tools of a that are hidden here",
    ],
    [
      "is found by the folder",
      undefined,
      { command: "node", args: ["./a.js"] },
      "it depends on the folder that the program has open",
    ],
    [
      "depends on the folder",
      undefined,
      { command: "a", args: ["${workspaceFolder}"] },
      "it depends on the folder that the program has open",
    ],
  ])("leaves a server in its file that %s, and says why", async (_name, config, entry, reason) => {
    if (config !== undefined) place.write(CONFIG, config);
    cursor({ a: entry, b: { command: "b" } });
    expect((await run("--client", "cursor")).stdout.replaceAll(/\s+/g, " ")).toContain(
      `a stays in ~/.cursor/mcp.json: ${reason}`,
    );
    const { rewrites } = await page("--client", "cursor", "--yes");
    expect(rewrites[0]!.reasons).toContainEqual({ server: "a", reason });
    expect(JSON.parse(read(CURSOR))).toMatchObject({ mcpServers: { a: entry } });
  });

  it("takes a server out once its variable is set for every gateway, not in one folder alone", async () => {
    cursor({ a: { command: "a", env: { K: "${env:SOME_KEY}" } } });
    place.write(".env", "SOME_KEY=1\n");
    expect((await page("--client", "cursor")).rewrites[0]!.kept).toEqual(["a"]);
    place.write(".ai/.env", "SOME_KEY=1\n");
    expect((await page("--client", "cursor")).rewrites[0]!.removed).toEqual(["a"]);
    rmSync(at(".ai"), { recursive: true });
    const ran = await runWith({ env: { SOME_KEY: "1" } }, "--client", "cursor", "--json");
    expect((ran.json() as ImportPage).rewrites[0]!.removed).toEqual(["a"]);
  });

  it("writes down what any of two clients hides of the same server, and then takes it out of both", async () => {
    cursor({ a: { command: "a", includeTools: ["x", "y"] } });
    place.write(".gemini/settings.json", {
      mcpServers: { b: { command: "a", includeTools: ["y", "z"], excludeTools: ["w"] } },
    });
    const { rewrites } = await page("--client", "cursor", "gemini-cli", "--yes");
    expect(rewrites.map(({ removed }) => removed)).toEqual([["a"], ["b"]]);
    expect(JSON.parse(read(CONFIG))).toMatchObject({
      toolRules: [
        { server: "a", pattern: ["w"], enabled: false },
        { server: "a", pattern: ["*", "!y"], enabled: false },
      ],
    });
    cursor({ a: { command: "a", includeTools: ["x", "y"], excludeTools: ["w"] } });
    expect((await page("--client", "cursor")).rewrites[0]!.removed).toEqual(["a"]);
    cursor({ a: { command: "a", includeTools: ["x"] } });
    expect((await page("--client", "cursor")).rewrites[0]!.kept).toEqual(["a"]);
  });

  it("leaves Claude Code's servers for one project where they are", async () => {
    place.write(".claude.json", {
      mcpServers: { everywhere: { command: "e" } },
      projects: { [place.folder]: { mcpServers: { here: { command: "h" } } } },
    });
    const { added, rewrites, files } = await page("--client", "claude-code", "--yes");
    expect([added, rewrites[0]!.removed]).toEqual([["everywhere"], ["everywhere"]]);
    expect(rewrites[0]!.reasons).toEqual([{ server: "here", reason: "it is for this project alone" }]);
    expect(files[0]!.servers[0]).toMatchObject({ name: "here", outcome: "bound" });
    expect(read(".claude.json")).toContain('"here"');
  });

  it("registers the gateway with a client that has no servers, and says when there is no such client", async () => {
    cursor({});
    const { changes, rewrites } = await page("--client", "cursor", "zed", "--yes");
    expect(changes).toEqual([{ file: at(CURSOR), what: "gets anygpt" }]);
    expect(rewrites[1]).toMatchObject({ client: "zed", file: null, reason: "no file of it was found" });
    expect(JSON.parse(read(CURSOR))).toEqual({ mcpServers: { anygpt: GATEWAY } });
  });

  it("goes through all clients and says nothing of those that are not there", async () => {
    cursor({ a: { command: "a" } });
    place.write(".docker/mcp-servers.json", { mcpServers: { d: { command: "d" } } });
    const { rewrites } = await page("--client", "all", "--yes");
    expect(rewrites).toMatchObject([
      { client: "cursor", status: "rewritten" },
      { client: "docker-mcp", status: "unchanged", kept: ["d"], reason: "the gateway cannot be registered in it" },
    ]);
  });

  it("registers one gateway for all files that are used together", async () => {
    place.write(".continue/config.yaml", "mcpServers:\n  - name: a\n    command: a\n");
    place.write(".continue/mcpServers/b.yaml", "mcpServers:\n  - name: b\n    command: b\n");
    await run("--client", "continue", "--yes");
    const files = [".continue/config.yaml", ".continue/mcpServers/b.yaml"].map(read);
    expect(files.map((text) => text.includes("@anygpt/discovery"))).toEqual([true, false]);
    expect(files[1]).toBe("mcpServers: []\n");
  });

  it("leaves a broken file alone, goes on with the others and ends with 2", async () => {
    cursor({ a: { command: "a" } });
    place.write(".gemini/settings.json", "{ broken");
    const { exit, stdout } = await run("--client", "cursor", "gemini-cli", "--yes");
    expect(exit).toBe(2);
    expect(stdout).toMatch(/✗ ~\/\.gemini\/settings\.json left as it is: line 1:\d+: /);
    expect([read(".gemini/settings.json"), read(CURSOR).includes("@anygpt")]).toEqual(["{ broken", true]);
  });

  it("keeps the mode of the file and the link to it", async () => {
    const real = place.write("dotfiles/mcp.json", { mcpServers: { a: { command: "a" } } });
    chmodSync(real, 0o640);
    mkdirSync(at(".cursor"));
    symlinkSync(real, at(CURSOR));
    await run("--client", "cursor", "--yes");
    expect(lstatSync(at(CURSOR)).isSymbolicLink()).toBe(true);
    expect([modeOf("dotfiles/mcp.json"), read("dotfiles/mcp.json").includes("@anygpt")]).toEqual([0o640, true]);
    await run("--undo", "--yes");
    expect(lstatSync(at(CURSOR)).isSymbolicLink()).toBe(true);
    expect([modeOf("dotfiles/mcp.json"), read("dotfiles/mcp.json")]).toEqual([
      0o640,
      '{"mcpServers":{"a":{"command":"a"}}}',
    ]);
  });

  it("does not write to a file that is read-only", async () => {
    cursor({ a: { command: "a" } });
    chmodSync(at(CURSOR), 0o444);
    const before = read(CURSOR);
    const { exit, stdout } = await run("--client", "cursor", "--yes");
    expect([exit, read(CURSOR), modeOf(CURSOR)]).toEqual([2, before, 0o444]);
    expect(stdout).toContain("is read-only and was left as it is.");
    expect(readdirSync(dirname(at(CURSOR)))).toEqual(["mcp.json"]);
  });

  it.each([
    ["written", () => writeFileSync(at(CURSOR), "{}"), "{}"],
    ["replaced", () => (place.write("new.json", "{ }"), renameSync(at("new.json"), at(CURSOR))), "{ }"],
    ["removed", () => rmSync(at(CURSOR)), undefined],
  ])("loses nothing of a file that is %s while it asks", async (_name, change, expected) => {
    cursor({ a: { command: "a" } });
    const onOutput = (text: string): unknown => text.includes("Write these files?") && change();
    const { exit, stdout } = await runWith({ ...ASKED, onOutput }, "--client", "cursor");
    expect(exit).toBe(2);
    expect(stdout).toMatch(/changed by somebody else in the meantime|is not there any more/);
    expect(existsSync(at(CURSOR)) ? read(CURSOR) : undefined).toBe(expected);
    expect((await run("--undo", "--yes", "--json")).json()).toMatchObject({
      undone: [{ role: "config", status: "removed" }],
    });
  });

  it("does not overwrite a configuration that appears while it asks", async () => {
    cursor({ a: { command: "a" } });
    const before = read(CURSOR);
    const onOutput = (text: string): unknown => text.includes("Write these files?") && place.write(CONFIG, "{}");
    const { exit } = await runWith({ ...ASKED, onOutput }, "--client", "cursor");
    expect([exit, read(CONFIG), read(CURSOR)]).toEqual([2, "{}", before]);
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
  const { stdout } = await place.run("__complete", "--", "mcp", "import", ...words);
  expect(stdout.trimEnd().split("\n")).toEqual(expected);
});

describe("import --undo", () => {
  beforeEach(async () => {
    cursor({ a: { command: "a" } });
    place.write(CODEX, '[mcp_servers.b]\ncommand = "b"\n');
    await run("--client", "cursor", "codex", "--yes");
  });

  it("puts everything back once", async () => {
    expect((await run("--undo")).stdout).toContain("Nothing was written. Add --yes to write.");
    expect(read(CURSOR)).toContain("@anygpt");
    const { exit, stdout } = await run("--undo", "--yes");
    expect([exit, stdout]).toEqual([
      0,
      "✓ ~/.codex/config.toml is as it was before the import\n✓ ~/.cursor/mcp.json is as it was before the import\n✓ ~/.anygpt/mcp-discovery.config.json is gone again\n",
    ]);
    expect([read(CODEX), JSON.parse(read(CURSOR)), existsSync(at(".anygpt/backups"))]).toEqual([
      '[mcp_servers.b]\ncommand = "b"\n',
      { mcpServers: { a: { command: "a" } } },
      false,
    ]);
    const twice = await run("--undo", "--yes");
    expect([twice.exit, twice.stdout]).toEqual([0, "There is no import to undo.\n"]);
  });

  it("puts the files of one client back and then the rest", async () => {
    await run("--undo", "--client", "codex", "--yes");
    expect([read(CODEX).includes("@anygpt"), read(CURSOR).includes("@anygpt"), existsSync(at(CONFIG))]).toEqual([
      false,
      true,
      true,
    ]);
    await run("--undo", "--yes");
    expect([read(CURSOR).includes("@anygpt"), existsSync(at(CONFIG))]).toEqual([false, false]);
  });

  it("refuses what somebody has changed, says where, and keeps what clients rely on", async () => {
    const changed = { mcpServers: { anygpt: GATEWAY }, theme: "s3cret" };
    place.write(CURSOR, changed);
    const { exit, stdout, stderr } = await run("--undo", "--yes");
    expect(exit).toBe(2);
    expect(stdout).toBe(`✓ ~/.codex/config.toml is as it was before the import
✗ ~/.cursor/mcp.json was left as it is: somebody has changed it since the import
    changed: theme
! ~/.anygpt/mcp-discovery.config.json was left as it is: a file that could not be put back relies on it
`);
    expect(stderr).toContain("With --force it is put back nevertheless");
    expect([JSON.parse(read(CURSOR)), existsSync(at(CONFIG))]).toEqual([changed, true]);
  });

  it("puts back the servers alone with --force where others changed the rest, and keeps what was there", async () => {
    place.write(CURSOR, { theme: 1, mcpServers: { anygpt: GATEWAY } });
    const { exit, stdout } = await run("--undo", "--force", "--yes");
    expect([exit, JSON.parse(read(CURSOR))]).toEqual([0, { theme: 1, mcpServers: { a: { command: "a" } } }]);
    const kept = /What was in it is kept in ~\/(\S+)\.\n/.exec(stdout)?.[1] ?? "";
    expect(JSON.parse(read(kept))).toEqual({ theme: 1, mcpServers: { anygpt: GATEWAY } });
  });

  it.each([
    ["whose servers changed too", () => place.write(CURSOR, '{"mcpServers":{}}')],
    ["that is gone", () => rmSync(at(CURSOR))],
  ])("puts a file back as a whole with --force %s", async (_name, change) => {
    change();
    expect((await run("--undo", "--yes")).exit).toBe(2);
    expect((await run("--undo", "--force", "--yes")).exit).toBe(0);
    expect(JSON.parse(read(CURSOR))).toEqual({ mcpServers: { a: { command: "a" } } });
  });

  it.each([
    ["a folder", () => (rmSync(at(CURSOR)), mkdirSync(at(CURSOR))), "a folder has taken its place"],
    [
      "a file for its folder",
      () => (rmSync(at(".cursor"), { recursive: true }), place.write(".cursor", "")),
      "a file has taken the place of its folder",
    ],
  ])("refuses what %s has taken the place of and puts the others back", async (_name, change, reason) => {
    change();
    for (const argv of [
      ["--undo", "--json"],
      ["--undo", "--yes", "--json"],
    ]) {
      const { exit, json } = await run(...argv);
      expect(exit).toBe(2);
      expect(json()).toMatchObject({
        undone: [{ status: "restored" }, { path: at(CURSOR), status: "refused", reason }, { status: "removed" }],
      });
    }
    expect([read(CODEX).includes("@anygpt"), existsSync(at(CONFIG))]).toEqual([false, false]);
    expect((await run("--undo", "--force", "--yes")).exit).toBe(2);
  });

  it("refuses a file whose folder is gone, and makes the folder again with --force", async () => {
    rmSync(at(".cursor"), { recursive: true });
    expect((await run("--undo", "--yes")).exit).toBe(2);
    expect((await run("--undo", "--force", "--yes")).exit).toBe(0);
    expect(JSON.parse(read(CURSOR))).toEqual({ mcpServers: { a: { command: "a" } } });
  });

  it("says when a file is as before already", async () => {
    cursor({ a: { command: "a" } });
    expect((await run("--undo", "--yes", "--json")).json()).toMatchObject({
      undone: [{}, { status: "as before" }, { status: "removed" }],
    });
  });

  it("does not trust a backup that was damaged", async () => {
    const folder = at(`.anygpt/backups/${readdirSync(at(".anygpt/backups"))[0]}`);
    for (const name of readdirSync(folder)) if (name.endsWith(".before")) writeFileSync(join(folder, name), "rubbish");
    expect((await run("--undo", "--yes", "--json")).json()).toMatchObject({
      undone: [{ status: "refused", reason: "the backup is damaged" }, {}, {}],
    });
    expect(read(CURSOR)).toContain("@anygpt");
  });

  it("undoes the last of several imports first", async () => {
    place.write(".codeium/windsurf/mcp_config.json", { mcpServers: { w: { command: "w" } } });
    await run("--client", "windsurf", "--yes");
    const first = await run("--undo", "--yes", "--json");
    expect(first.json()).toMatchObject({
      undone: [{ client: "windsurf" }, { role: "config", status: "restored" }],
      left: 1,
    });
    expect(Object.keys((JSON.parse(read(CONFIG)) as { servers: object }).servers)).toEqual(["a", "b"]);
    expect((await run("--undo", "--yes", "--json")).json()).toMatchObject({ left: 0 });
  });
});

it("restores every byte of any file around the servers", async () => {
  const text = fc
    .array(fc.constantFrom(" ", "\n", "\r\n", "\t", "// x\n", '/* "mcpServers" */'), { maxLength: 6 })
    .map((parts) => parts.join(""));
  const around = fc.tuple(fc.constantFrom("", "\ufeff"), text, text, text, fc.json({ maxDepth: 2 }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(around, async ([mark, a, b, c, json, isOpenEnded]) => {
      const before = `${mark}${a}{${b}"x":${json},${c}"mcpServers"${a}:{${b}"a"${c}:{"command":"a"}${a}},"z":${json}${isOpenEnded ? "," : ""}${b}}${c}`;
      place.write(CURSOR, before);
      const ran = await run("--client", "cursor", "--yes", "--json");
      expect([ran.exit, read(CURSOR).includes("@anygpt/discovery"), read(CURSOR).includes('"command":"a"')]).toEqual([
        0,
        true,
        false,
      ]);
      await run("--undo", "--yes");
      expect(readFileSync(at(CURSOR)).equals(Buffer.from(before))).toBe(true);
    }),
    { numRuns: 30 },
  );
});
