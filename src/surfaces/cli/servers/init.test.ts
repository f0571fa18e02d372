import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";

const CONFIG = "state/mcp-discovery.config.yaml";
const CURSOR = { mcpServers: { github: { command: "gh" }, fs: { command: "fs" } } };
let place: CliPlace;
beforeEach(() => {
  place = createCliPlace();
  place.write(".cursor/mcp.json", CURSOR);
  place.write(".codeium/windsurf/mcp_config.json", { mcpServers: { time: { command: "time" } } });
});
afterEach(() => place.remove());

const read = (file: string): string => readFileSync(join(place.folder, file), "utf8");
const names = async (): Promise<string[]> => {
  const page = (await place.run("mcp", "config", "show", "--json")).json() as { servers: { list: { name: string }[] } };
  return page.servers.list.map(({ name }) => name).sort();
};

describe("anygpt mcp init", () => {
  it("only shows the servers found if there is no terminal", async () => {
    const { exit, stdout } = await place.run("mcp", "init");
    expect(exit).toBe(0);
    expect(stdout).toContain("Found 3 servers in files of 2 clients:");
    expect(stdout).toContain("- Cursor is not connected.");
    expect(stdout).toContain("Add --yes to write the configuration.");
    expect(existsSync(join(place.folder, CONFIG))).toBe(false);
  });

  it("writes a commented configuration with --yes and leaves the clients alone", async () => {
    const ran = await place.run("mcp", "init", "--yes", "--json");
    expect(ran.json()).toMatchObject({ success: true, isNew: true, written: true, lost: [] });
    expect(read(CONFIG)).toMatch(/^# Configuration[^]*\nsources: all\n/);
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual(CURSOR);
    expect(await names()).toEqual(["fs", "github", "time"]);
    const before = read(CONFIG);
    expect((await place.run("mcp", "init", "--yes")).stdout).toContain("There is nothing to write.");
    expect(read(CONFIG)).toBe(before);
  });

  it("moves the servers of a connected client, loses none, and can be undone to the last byte", async () => {
    const original = read(".cursor/mcp.json");
    expect((await place.run("mcp", "init", "--yes", "--client", "cursor")).exit).toBe(0);
    expect(read(".cursor/mcp.json")).toContain("bin/discovery.js");
    expect(read(".cursor/mcp.json")).not.toContain('"gh"');
    expect(read(CONFIG)).toContain("servers:\n  github:\n    command: gh\n  fs:\n    command: fs\n");
    expect(read(CONFIG)).not.toContain("time:");
    expect(await names()).toEqual(["fs", "github", "time"]);
    expect((await place.run("mcp", "init")).stdout).toContain("✓ Cursor is connected.");
    expect((await place.run("mcp", "undo")).exit).toBe(0);
    expect(read(".cursor/mcp.json")).toBe(original);
    expect(existsSync(join(place.folder, CONFIG))).toBe(false);
  });

  it("names the servers that lose the environment of their client", async () => {
    place.write(".claude.json", { mcpServers: { tok: { type: "stdio", command: "tok" } } });
    const { stdout } = await place.run("mcp", "init", "--yes", "--client", "claude-code", "--client", "cursor");
    expect(stdout).toContain("Claude Code passes its whole environment to tok; the gateway passes only");
    expect(stdout).not.toContain("Cursor passes");
  });

  it("asks at a terminal", async () => {
    const { stderr, stdout } = await place.runWith({ isTerminal: true, stdin: "n\n" }, "mcp", "init");
    expect(stderr).toContain("Write ~/state/mcp-discovery.config.yaml");
    expect(stdout).toContain("Nothing was written.");
    expect(existsSync(join(place.folder, CONFIG))).toBe(false);
  });

  it("connects the clients that the user confirms", async () => {
    const stdin = new PassThrough();
    const answers = ["y", "n", "y"];
    const onOutput = (text: string): void => {
      if (text.includes("[y/N]")) setImmediate(() => stdin.write(`${answers.shift() ?? ""}\n`));
    };
    const { exit, stderr } = await place.runWith({ isTerminal: true, columns: 200, stdin, onOutput }, "mcp", "init");
    expect(exit).toBe(0);
    expect(stderr).toMatch(/Connect Cursor\? [^]*loses github, fs; gets anygpt[^]*Connect Windsurf\?/);
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual(CURSOR);
    expect(read(CONFIG)).toContain("servers:\n  time:\n");
  });

  it("connects no client to a project's configuration", async () => {
    expect((await place.run("mcp", "init", "--project", "--client", "cursor", "--yes")).exit).toBe(1);
  });
});
