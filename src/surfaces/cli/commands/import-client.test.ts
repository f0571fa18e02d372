import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { CONFIG, CURSOR, GATEWAY, setUpImports } from "../../../../test/support/import-place.js";
import type { ImportPage } from "../../../operations/import/report.js";

const { place, at, read, modeOf, run, runWith, page, cursor } = setUpImports();

const ASKED = { isTerminal: true, stdin: "y\n", columns: 200 };

describe("import --client", () => {
  it("replaces imported servers by the gateway and keeps the others", async () => {
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

  it("also removes servers that the configuration already had", async () => {
    cursor({ a: { command: "a" } });
    await run("--yes");
    expect((await page("--client", "cursor", "--yes")).rewrites[0]!.removed).toEqual(["a"]);
  });

  it.each<[string, object | undefined, object, string]>([
    [
      "is switched off in the configuration",
      { servers: { a: { command: "a", enabled: false } } },
      { command: "a" },
      "a is disabled in your configuration",
    ],
    [
      "is in a configuration that is switched off",
      { enabled: false },
      { command: "a" },
      "your configuration is disabled",
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
      "your toolRules do not disable the tools of a that the client disables",
    ],
    [
      "is found by the folder",
      undefined,
      { command: "node", args: ["./a.js"] },
      "it depends on the folder that the MCP client has open",
    ],
    [
      "depends on the folder",
      undefined,
      { command: "a", args: ["${workspaceFolder}"] },
      "it depends on the folder that the MCP client has open",
    ],
  ])("keeps a server in its file that %s, with the reason", async (_name, config, entry, reason) => {
    if (config !== undefined) place().write(CONFIG, config);
    cursor({ a: entry, b: { command: "b" } });
    expect((await run("--client", "cursor")).stdout.replaceAll(/\s+/g, " ")).toContain(
      `a stays in ~/.cursor/mcp.json: ${reason}`,
    );
    const { rewrites } = await page("--client", "cursor", "--yes");
    expect(rewrites[0]!.reasons).toContainEqual({ server: "a", reason });
    expect(JSON.parse(read(CURSOR))).toMatchObject({ mcpServers: { a: entry } });
  });

  it("removes a server once its variable is set for every gateway, not only in one folder", async () => {
    cursor({ a: { command: "a", env: { K: "${env:SOME_KEY}" } } });
    place().write(".env", "SOME_KEY=1\n");
    expect((await page("--client", "cursor")).rewrites[0]!.kept).toEqual(["a"]);
    place().write(".ai/.env", "SOME_KEY=1\n");
    expect((await page("--client", "cursor")).rewrites[0]!.removed).toEqual(["a"]);
    rmSync(at(".ai"), { recursive: true });
    const ran = await runWith({ env: { SOME_KEY: "1" } }, "--client", "cursor", "--json");
    expect((ran.json() as ImportPage).rewrites[0]!.removed).toEqual(["a"]);
  });

  it("imports the hidden tools of the same server in two clients, and removes it from both", async () => {
    cursor({ a: { command: "a", includeTools: ["x", "y"] } });
    place().write(".gemini/settings.json", {
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

  it("keeps Claude Code's project servers in their file", async () => {
    place().write(".claude.json", {
      mcpServers: { everywhere: { command: "e" } },
      projects: { [place().folder]: { mcpServers: { here: { command: "h" } } } },
    });
    const { added, rewrites, files } = await page("--client", "claude-code", "--yes");
    expect([added, rewrites[0]!.removed]).toEqual([["everywhere"], ["everywhere"]]);
    expect(rewrites[0]!.reasons).toEqual([{ server: "here", reason: "it belongs to this project only" }]);
    expect(files[0]!.servers[0]).toMatchObject({ name: "here", outcome: "bound" });
    expect(read(".claude.json")).toContain('"here"');
  });

  it("registers the gateway with a client that has no servers, and reports a client that is not installed", async () => {
    cursor({});
    const { changes, rewrites } = await page("--client", "cursor", "zed", "--yes");
    expect(changes).toEqual([{ file: at(CURSOR), what: "gets anygpt" }]);
    expect(rewrites[1]).toMatchObject({ client: "zed", file: null, reason: "it has no file on this machine" });
    expect(JSON.parse(read(CURSOR))).toEqual({ mcpServers: { anygpt: GATEWAY } });
  });

  it("processes all clients and does not report those that are not installed", async () => {
    cursor({ a: { command: "a" } });
    place().write(".docker/mcp-servers.json", { mcpServers: { d: { command: "d" } } });
    const { rewrites } = await page("--client", "all", "--yes");
    expect(rewrites).toMatchObject([
      { client: "cursor", status: "rewritten" },
      { client: "docker-mcp", status: "unchanged", kept: ["d"], reason: "the gateway cannot be registered in it" },
    ]);
  });

  it("imports nothing from a client that was not named", async () => {
    place().write(CURSOR, { mcpServers: { a: { command: "a" } } });
    place().write(".gemini/settings.json", { mcpServers: { other: { command: "o", env: { API_TOKEN: "abcdefgh" } } } });
    const { added, files } = await page("--client", "cursor", "--yes");
    expect([added, files.map(({ client }) => client)]).toEqual([["a"], ["cursor"]]);
    expect(read(CONFIG)).not.toContain("abcdefgh");
  });

  it("registers one gateway for all files that are used together", async () => {
    place().write(".continue/config.yaml", "mcpServers:\n  - name: a\n    command: a\n");
    place().write(".continue/mcpServers/b.yaml", "mcpServers:\n  - name: b\n    command: b\n");
    await run("--client", "continue", "--yes");
    const files = [".continue/config.yaml", ".continue/mcpServers/b.yaml"].map(read);
    expect(files.map((text) => text.includes("bin/discovery.js"))).toEqual([true, false]);
    expect(files[1]).toBe("mcpServers: []\n");
  });

  it("does not change an invalid file, continues with the others and exits with 2", async () => {
    cursor({ a: { command: "a" } });
    place().write(".gemini/settings.json", "{ broken");
    const { exit, stdout } = await run("--client", "cursor", "gemini-cli", "--yes");
    expect(exit).toBe(2);
    expect(stdout).toMatch(/✗ ~\/\.gemini\/settings\.json not changed: line 1:\d+: /);
    expect([read(".gemini/settings.json"), read(CURSOR).includes("bin/discovery.js")]).toEqual(["{ broken", true]);
  });

  it("keeps the mode of the file and the link to it", async () => {
    const real = place().write("dotfiles/mcp.json", { mcpServers: { a: { command: "a" } } });
    chmodSync(real, 0o640);
    mkdirSync(at(".cursor"));
    symlinkSync(real, at(CURSOR));
    await run("--client", "cursor", "--yes");
    expect(lstatSync(at(CURSOR)).isSymbolicLink()).toBe(true);
    expect([modeOf("dotfiles/mcp.json"), read("dotfiles/mcp.json").includes("bin/discovery.js")]).toEqual([
      0o640,
      true,
    ]);
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
    expect(stdout).toContain("is read-only and was not changed.");
    expect(readdirSync(dirname(at(CURSOR)))).toEqual(["mcp.json"]);
  });

  it.each([
    ["written", () => writeFileSync(at(CURSOR), "{}"), "{}"],
    ["replaced", () => (place().write("new.json", "{ }"), renameSync(at("new.json"), at(CURSOR))), "{ }"],
    ["removed", () => rmSync(at(CURSOR)), undefined],
  ])("does not overwrite a file that is %s during the question", async (_name, change, expected) => {
    cursor({ a: { command: "a" } });
    const onOutput = (text: string): unknown => text.includes("Write these files?") && change();
    const { exit, stdout } = await runWith({ ...ASKED, onOutput }, "--client", "cursor");
    expect(exit).toBe(2);
    expect(stdout).toMatch(/changed by another program in the meantime|no longer exists/);
    expect(existsSync(at(CURSOR)) ? read(CURSOR) : undefined).toBe(expected);
    expect((await run("--undo", "--yes", "--json")).json()).toMatchObject({
      undone: [{ role: "config", status: "removed" }],
    });
  });

  it("does not overwrite a configuration that is created during the question", async () => {
    cursor({ a: { command: "a" } });
    const before = read(CURSOR);
    const onOutput = (text: string): unknown => text.includes("Write these files?") && place().write(CONFIG, "{}");
    const { exit } = await runWith({ ...ASKED, onOutput }, "--client", "cursor");
    expect([exit, read(CONFIG), read(CURSOR)]).toEqual([2, "{}", before]);
  });
});
