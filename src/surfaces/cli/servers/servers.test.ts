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
    expect(stdout).toContain("✓ one is written to ~/state/mcp-discovery.config.yaml.");
    expect(stdout).toContain("✓ one answered with 1 tool.");
    expect(await names()).toEqual(["one", "github", "fs"]);
    expect((await place.run("mcp", "undo")).exit).toBe(0);
    expect(existsSync(join(place.folder, NEW))).toBe(false);
  });

  it("keeps a server that does not answer and says how to see why", async () => {
    const { exit, stdout } = await place.run("mcp", "add", "bad", "--", "no-such-command-here");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/! bad did not answer: .*`anygpt mcp doctor bad` shows more\./);
    expect(await names()).toContain("bad");
  });

  it("adds pasted JSON only with --yes where there is no terminal", async () => {
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
  it("switches a client's server off and on, and names its file when it is to be removed", async () => {
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

  it("leaves a file alone that was changed since", async () => {
    place.write(NEW, "servers:\n  a:\n    command: a\n");
    await place.run("mcp", "disable", "a");
    place.write(NEW, "servers: {}\n");
    expect((await place.run("mcp", "undo")).exit).toBe(2);
    expect(read()).toBe("servers: {}\n");
  });
});
