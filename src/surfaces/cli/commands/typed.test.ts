import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, toolServer } from "../../../../test/support/cli.js";
import { testServer } from "../../../../test/support/gateway.js";

let place: CliPlace;
beforeEach(() => {
  place = createCliPlace();
});
afterEach(() => place.remove());

const configure = (config: object): string => place.write(".anygpt/mcp-discovery.config.json", config);
const tool = { name: "ping", description: "Answers.", inputSchema: { type: "object" } };

describe("a tool without its server", () => {
  it("is rejected with the possible ids if two servers have it", async () => {
    const servers = {
      one: toolServer(place, "one", { tools: [tool] }),
      two: toolServer(place, "two", { tools: [tool] }),
    };
    configure({ servers });
    const ran = await place.run("inspect", "ping");
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain('2 servers have a tool named "ping".');
    expect(ran.stderr).toContain("Write one of: one:ping, two:ping.");
    expect((await place.run("inspect", "two:ping")).stdout).toContain("Tool: two:ping");
  });
});

describe("doctor --timeout", () => {
  it("ends the wait for a server that does not answer", async () => {
    configure({ servers: { hanging: testServer("faulty.mjs", "hang-init") } });
    const ran = await place.run("doctor", "--timeout", "1");
    expect(ran.exit).toBe(3);
    expect(ran.stdout).toContain("hanging did not answer within 1 s.");
    expect(ran.stdout).toContain("Allow more time with --timeout SECONDS");
  });
});

describe("discover", () => {
  it("accepts the name of a configured server", async () => {
    configure({ servers: { mine: toolServer(place, "mine", { tools: [tool] }) } });
    const ran = await place.run("discover", "mine", "--dry-run", "--json");
    expect(ran.json()).toMatchObject({ success: true, server: "mine" });
  });

  it("writes no value of the configuration into files", async () => {
    const mine = { ...toolServer(place, "mine", { tools: [tool] }), env: { KEY: "value-in-full" } };
    configure({ servers: { mine } });
    const ran = await place.run("discover", "mine", "--dry-run");
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain("The variable KEY of mine has a literal value in the configuration");
    expect(ran.stderr).not.toContain("value-in-full");
  });

  it.each(["discover", "add x"])("%s rejects docker run without -i, with the correct form", async (command) => {
    const ran = await place.run(...command.split(" "), "--", "docker", "run", "--rm", "image");
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain("without -i closes the standard input");
  });

  it("explains where to put options of a command", async () => {
    const ran = await place.run("discover", "npx", "-y", "pkg");
    expect(ran.stderr).toContain("anygpt mcp discover -- COMMAND");
  });
});

it("adds the variables that docker reads from its environment", async () => {
  const ran = await place.run(
    "add",
    "x",
    "--no-check",
    "--json",
    "--",
    "docker",
    "run",
    "-i",
    "--rm",
    "-e",
    "KEY",
    "image",
  );
  expect(ran.exit).toBe(0);
  const shown = await place.run("env");
  expect(shown.stdout).toContain("KEY");
});

it("explains to a user at a terminal what the server does", async () => {
  configure({ servers: {} });
  const ran = await place.runWith({ isTerminal: true }, "mcp", "serve");
  expect(ran.stdout).toBe("");
  expect(ran.stderr).toContain("This is a server for an MCP client");
  expect((await place.run("mcp", "serve")).stderr).not.toContain("This is a server for an MCP client");
});

describe("the update notice", () => {
  const latest = { checkedAt: Date.now(), latest: "999.0.0" };
  it("is one line on standard error of a terminal, once", async () => {
    configure({ servers: {} });
    place.write("state/update.json", latest);
    const env = { NO_COLOR: "1" };
    expect((await place.runWith({ env }, "env")).stderr).not.toContain("999.0.0");
    expect((await place.runWith({ env, isTerminal: true }, "env", "-q")).stderr).not.toContain("999.0.0");
    place.write("state/update.json", latest);
    const ran = await place.runWith({ env, isTerminal: true, columns: 200 }, "env");
    expect(ran.stderr).toMatch(/^Version 999\.0\.0 of .* is available, this is .*: npm install -g .*\n$/m);
    expect(ran.stdout).not.toContain("999.0.0");
    expect((await place.runWith({ env, isTerminal: true }, "env")).stderr).not.toContain("999.0.0");
  });
});
