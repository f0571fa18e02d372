import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, toolServer } from "../../../../test/support/cli.js";

let place: CliPlace;
beforeEach(() => {
  place = createCliPlace();
  const { command, args } = toolServer(place, "one", { tools: [{ name: "t", inputSchema: { type: "object" } }] });
  place.write("state/mcp-discovery.config.json", {
    servers: {
      one: { command, args },
      brave: { command: "brave", enabled: false },
      web: { url: "https://w.example/mcp", enabled: false },
    },
  });
});
afterEach(() => place.remove());

describe("a disabled server", () => {
  it("is in the table of `list` and in its count", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "list");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/brave +disabled +- +stdio +configuration/);
    expect(stdout).toMatch(/web +disabled +- +http +configuration/);
    expect(stderr).toContain("3 servers: ");
    expect(stderr).toContain("2 disabled; 1 tool.");
  });

  it("is listed by name, and next to the servers in JSON", async () => {
    const { exit, stdout } = await place.run("mcp", "list", "brave");
    expect([exit, stdout]).toEqual([
      0,
      expect.stringContaining("State: disabled (enable it with `anygpt mcp enable NAME`)"),
    ]);
    const page = (await place.run("mcp", "list", "--json")).json() as {
      servers: { name: string }[];
      disabled: unknown;
    };
    expect(page.servers.map(({ name }) => name)).toEqual(["one"]);
    expect(page.disabled).toMatchObject([
      { name: "brave", transport: "stdio" },
      { name: "web", transport: "http" },
    ]);
  });

  it("is named as disabled by `inspect` and `logs`", async () => {
    const inspected = await place.run("mcp", "inspect", "brave:search");
    expect(inspected.stderr).toContain('The server "brave" is disabled');
    expect(inspected.stderr).toContain("anygpt mcp enable brave");
    const { exit, stdout, stderr } = await place.run("mcp", "logs", "brave");
    expect([exit, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining("brave is disabled and has no log")]);
  });
});
