import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, toolServer } from "../../../../test/support/cli.js";

const NEW = "state/mcp-discovery.config.yaml";
let place: CliPlace;
beforeEach(() => {
  place = createCliPlace();
  place.write(".cursor/mcp.json", { mcpServers: { github: { command: "gh" }, fs: { command: "fs" } } });
});
afterEach(() => place.remove());

const read = (file = NEW): string => readFileSync(join(place.folder, file), "utf8");
const names = async (): Promise<string[]> => {
  const page = (await place.run("mcp", "config", "show", "--json")).json() as {
    servers: { list: { name: string }[] };
  };
  return page.servers.list.map(({ name }) => name);
};

describe("anygpt mcp add", () => {
  it("keeps the servers of the clients when it writes the first configuration, connects, and can be undone", async () => {
    const { command, args } = toolServer(place, "one", { tools: [{ name: "t", inputSchema: { type: "object" } }] });
    const { exit, stdout } = await place.run("mcp", "add", "one", "--", command, ...args);
    expect(exit).toBe(0);
    expect(stdout).toContain("✓ one was added to ~/state/mcp-discovery.config.yaml.");
    expect(stdout).toContain("✓ one answered with 1 tool.");
    expect(await names()).toEqual(["one", "github", "fs"]);
    expect((await place.run("mcp", "undo")).exit).toBe(0);
    expect(existsSync(join(place.folder, NEW))).toBe(false);
  });

  it("keeps a server that does not answer, and suggests doctor", async () => {
    const { exit, stdout } = await place.run("mcp", "add", "bad", "--", "no-such-command-here");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/! bad did not answer: .*Run `anygpt mcp doctor bad` to see more\./);
    expect(await names()).toContain("bad");
  });

  it("explains how to pass a variable to the server that is set in the environment", async () => {
    const script = place.write("b.mjs", 'console.error("Error: BRAVE_API_KEY is required"); process.exit(1);');
    const env = { BRAVE_API_KEY: "abcdefgh123" };
    const { stdout } = await place.runWith({ env }, "mcp", "add", "brave", "--", process.execPath, script);
    expect(stdout.replace(/\s+/g, " ")).toContain(
      `\`anygpt mcp add brave --replace --env BRAVE_API_KEY -- ${process.execPath} ${script}\``,
    );
  });

  it("adds pasted JSON only with --yes if there is no terminal", async () => {
    const json = '"a": { "command": "a", }, // one\n"b": { "url": "https://b.example/mcp" },';
    const refused = await place.run("mcp", "add", json, "--no-check");
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("with --yes")]);
    expect(existsSync(join(place.folder, NEW))).toBe(false);
    const ran = await place.runWith({ stdin: json }, "mcp", "add", "-", "--no-check", "--yes", "--json");
    expect(ran.json()).toMatchObject({
      success: true,
      written: true,
      lost: [],
      servers: [{ name: "a" }, { name: "b" }],
    });
    expect(read()).toContain("servers:\n  a:\n    command: a\n  b:\n    type: http\n    url: https://b.example/mcp\n");
  });

  it.each(["ftp://foo", "ws://foo", "htps://foo/mcp"])("refuses the address %s", async (address) => {
    const { exit, stderr } = await place.run("mcp", "add", "x1", address, "--yes");
    expect([exit, stderr, existsSync(join(place.folder, NEW))]).toEqual([
      1,
      expect.stringContaining("https:// or http://"),
      false,
    ]);
  });

  it("refuses a name that is taken, and replaces it with --replace", async () => {
    place.write(NEW, "servers:\n  a: # mine\n    command: x\n");
    const refused = await place.run("mcp", "add", "A", "--no-check", "--", "y");
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("--replace")]);
    expect((await place.run("mcp", "add", "a", "--replace", "--no-check", "--", "y")).exit).toBe(0);
    expect(read()).toBe("servers:\n  a:\n    command: y\n");
  });

  it("writes `sources: all` into a file that named no servers", async () => {
    place.write(NEW, "# rules only\ncache:\n  ttl: 5\n");
    await place.run("mcp", "add", "a", "--no-check", "--", "a");
    expect(read()).toBe("# rules only\ncache:\n  ttl: 5\nsources: all\nservers:\n  a:\n    command: a\n");
  });

  it("carries out edits of several commands at the same time one after the other", async () => {
    place.write(NEW, "servers:\n  z:\n    command: z\n");
    const added = Array.from({ length: 8 }, (_, index) => `s${index}`);
    const runs = await Promise.all([
      ...added.map(async (name) => await place.run("mcp", "add", name, "--no-check", "--", "x")),
      place.run("mcp", "disable", "z"),
    ]);
    expect(runs.map(({ exit, stderr }) => [exit, stderr])).toEqual(runs.map(() => [0, ""]));
    for (const name of added) expect(read()).toContain(`  ${name}:\n    command: x\n`);
    expect(read()).toContain("enabled: false");
  });

  it("changes nothing in a broken file and names line and column", async () => {
    place.write(NEW, "servers:\n  a: {command: x\n");
    const { exit, stderr } = await place.run("mcp", "add", "b", "--no-check", "--", "b");
    expect(exit).toBe(2);
    expect(stderr).toMatch(/mcp-discovery\.config\.yaml:\d+:\d+:/);
    expect(read()).toBe("servers:\n  a: {command: x\n");
  });

  it("prints what to paste for a configuration that is a program", async () => {
    place.write("state/mcp-discovery.config.mjs", "export default { servers: {} };\n");
    const { exit, stdout } = await place.run("mcp", "add", "a", "--no-check", "--", "a");
    expect([exit, stdout]).toEqual([2, expect.stringContaining('"command": "a"')]);
  });
});

describe("anygpt mcp remove, enable and disable", () => {
  it("disables and enables a client's server, and names its file on removal", async () => {
    expect((await place.run("mcp", "disable", "github")).exit).toBe(0);
    expect(await names()).toEqual(["fs"]);
    expect((await place.run("mcp", "enable", "github")).exit).toBe(0);
    expect(await names()).toEqual(["github", "fs"]);
    const { exit, stderr } = await place.run("mcp", "remove", "fs");
    expect(exit).toBe(1);
    expect(stderr).toMatch(/"fs" comes from cursor \(.*mcp\.json\)[^]*anygpt mcp disable fs/);
  });

  it("undoes several steps, each to the last byte", async () => {
    const first = "# mine\nservers:\n  a: { command: a } # A\n  b:\n    command: b\n";
    place.write(NEW, first);
    await place.run("mcp", "disable", "a");
    const second = read();
    expect(second).toBe(first.replace("command: a }", "command: a, enabled: false }"));
    await place.run("mcp", "remove", "b");
    await place.run("mcp", "undo");
    expect(read()).toBe(second);
    await place.run("mcp", "undo");
    expect(read()).toBe(first);
    expect((await place.run("mcp", "undo")).stdout).toBe("There is nothing to undo.\n");
  });

  it("does not restore a file that was changed since", async () => {
    place.write(NEW, "servers:\n  a:\n    command: a\n");
    await place.run("mcp", "disable", "a");
    place.write(NEW, "servers: {}\n");
    expect((await place.run("mcp", "undo")).exit).toBe(2);
    expect(read()).toBe("servers: {}\n");
  });
});
