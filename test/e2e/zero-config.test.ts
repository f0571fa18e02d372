import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMachine, type Machine, writeSixClients } from "../support/client-files.js";
import { eventually } from "../support/eventually.js";
import { ANYGPT, DISCOVERY, processesWith, testServer } from "../support/gateway.js";
import { type LiveGateway, openGateway } from "../support/live-gateway.js";
import { catalogIn } from "../support/records.js";

let machine: Machine;
let gateways: { close(): Promise<void> }[];
beforeEach(() => {
  machine = createMachine();
  gateways = [];
});
afterEach(async () => {
  for (const gateway of gateways) await gateway.close();
  machine.remove();
});

interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function anygpt(...argv: string[]): Promise<Ran> {
  const { project: cwd, env } = machine;
  const ran = promisify(execFile)(process.execPath, [ANYGPT, "mcp", ...argv], { cwd, env });
  return await ran.then(
    (output) => ({ exit: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => ({ ...error, exit: error.code }),
  );
}

async function json(...argv: string[]) {
  return JSON.parse((await anygpt(...argv, "--json")).stdout) as Record<string, unknown>;
}

async function open(...args: string[]): Promise<LiveGateway> {
  const { gateway, client } = await openGateway(args, machine.project, machine.env);
  gateways.push(client);
  return gateway;
}

const UNION = ["files", "here", "notes", "notes-2", "tracker", "search", "weather"];

describe("without a configuration", () => {
  it("lists the servers of six clients, each once, without the gateway itself", async () => {
    const files = writeSixClients(machine);
    const listed = (await json("list")) as { servers: { name: string; status: string; reason?: string }[] };
    expect(listed.servers.map(({ name }) => name)).toEqual(UNION);
    expect(listed.servers.filter(({ status }) => status === "error")).toMatchObject([
      { name: "tracker", reason: expect.stringContaining("The variable INPUT_TRACKER_TOKEN is not set.") as string },
    ]);
    // Each started server has left a record; a started gateway would have left one too.
    const asked = UNION.filter((name) => name !== "tracker");
    expect(catalogIn(join(machine.home, ".anygpt/store.db"))).toEqual([...asked].sort());

    const gateway = await open();
    const answer = await gateway.call("list_mcp_servers");
    expect(await gateway.servers()).toEqual(UNION);
    expect(answer.text).toContain(
      "Without a configuration file, 7 servers from 6 clients (claude-desktop, claude-code, cursor, vscode, codex, zed) are used; omitted: 1 duplicate, this gateway itself.",
    );
    expect(gateway.lines.join("\n")).toContain(
      `The server "documents" from ${files.cursor} has the same connection as "files" from ${files.claudeDesktop} and was skipped.`,
    );
    expect((await gateway.execute("notes-2", "whoami")).text).toContain("other notes");
  });

  it("reports the source of each server and the reason for each skipped one", async () => {
    const files = writeSixClients(machine);
    const { sources } = (await json("config", "sources")) as { sources: { type: string; status: string }[] };
    expect(sources.filter(({ status }) => status !== "missing")).toEqual([
      {
        type: "claude-desktop",
        path: files.claudeDesktop,
        status: "ok",
        servers: 1,
        names: ["files"],
        skipped: [{ name: "my tools", kind: "gateway", reason: "this gateway itself" }],
      },
      {
        type: "claude-code",
        path: files.claudeCode,
        status: "ok",
        servers: 2,
        names: ["here", "notes"],
        skipped: [{ name: "off", kind: "disabled", reason: "`disabled` is true" }],
      },
      {
        type: "cursor",
        path: files.cursor,
        status: "ok",
        servers: 1,
        names: ["notes-2"],
        skipped: [
          { name: "documents", kind: "duplicate", reason: "the same connection as files" },
          { name: "all-in-one", kind: "gateway", reason: "this gateway itself" },
        ],
      },
      { type: "vscode", path: files.vscode, status: "ok", servers: 1, names: ["tracker"] },
      {
        type: "codex",
        path: files.codex,
        status: "ok",
        servers: 1,
        names: ["search"],
        skipped: [{ name: "hub", kind: "gateway", reason: "this gateway itself" }],
      },
      { type: "zed", path: files.zed, status: "ok", servers: 1, names: ["weather"] },
    ]);
    expect(sources.filter(({ status }) => status === "missing").map(({ type }) => type)).toContain("windsurf");
    const shown = await anygpt("config", "sources");
    expect(shown.stdout).toContain(
      "  ✓ cursor (~/.cursor/mcp.json): 1 server (notes-2)\n      documents is not used: the same connection as files\n      all-in-one is not used: this gateway itself\n",
    );
    expect(shown.stdout).toMatch(/\n {2}- not found: windsurf, cline, /);

    expect((await anygpt("config", "show")).stdout).toContain(
      "  weather: stdio node  (zed, ~/.config/zed/settings.json:4)\n",
    );
    const valid = await json("config", "validate");
    expect(valid).toMatchObject({
      valid: true,
      servers: UNION.map((name) => ({ name, client: expect.any(String) as string })),
      warnings: expect.arrayContaining([
        expect.stringContaining('The server "documents" from') as string,
        expect.stringContaining('was renamed to "notes-2"') as string,
        expect.stringContaining("tracker cannot be used: The variable INPUT_TRACKER_TOKEN is not set.") as string,
      ]) as string[],
    });
    expect((await anygpt("env")).stdout).toContain("✗ INPUT_TRACKER_TOKEN: not set (needed by tracker)");

    const doctor = await anygpt("doctor");
    expect(doctor.exit).toBe(3);
    expect(doctor.stdout).toMatch(/✓ configuration: Without a configuration file, 7 servers from /);
    expect(doctor.stdout).toMatch(/! configuration: The server "documents" .* was skipped\./);
    expect(doctor.stdout).toMatch(/✗ tracker failed.*\n {2}The variable INPUT_TRACKER_TOKEN is not set\./);
    expect(doctor.stdout).toContain("1 of 7 servers failed (");
  });

  it("reports one broken file as an error of that source only", async () => {
    const { cursor, zed } = writeSixClients(machine);
    writeFileSync(cursor, '{\n  "mcpServers": {');
    const rest = UNION.filter((name) => name !== "notes-2");
    const list = await anygpt("list", "--json");
    expect((JSON.parse(list.stdout) as { servers: { name: string }[] }).servers.map(({ name }) => name)).toEqual(rest);
    const place = `${cursor}:2:18: expected a closing brace`;
    expect((await anygpt("list")).stderr).toContain(`! ${place}\n`);
    expect((await anygpt("config", "sources")).stdout).toContain(
      "  ✗ cursor (~/.cursor/mcp.json) - 2:18: expected a closing brace\n",
    );
    const validated = await anygpt("config", "validate");
    expect(validated).toMatchObject({ exit: 2, stderr: expect.stringContaining(`✗ ${place}.\n`) as string });
    expect(validated.stdout).toContain("tracker cannot be used");
    expect(await json("config", "validate")).toMatchObject({ valid: false, error: { code: "CONFIGURATION_ERROR" } });
    const gateway = await open();
    expect((await gateway.call("list_mcp_servers")).text).toContain(`These files could not be read: ${cursor}.`);
    expect(gateway.lines.join("\n")).toContain(place);

    // A file that becomes invalid while in use, such as a half-saved file, removes no server.
    writeFileSync(zed, '{ "context_servers": {');
    await gateway.logged(`${zed}:1:`);
    expect(await gateway.servers()).toEqual(rest);
    writeFileSync(zed, JSON.stringify({ context_servers: { sun: testServer("gate.mjs", "sun") } }));
    await gateway.logged("1 added (sun), 1 removed (weather)");
    expect((await gateway.execute("sun", "whoami")).isError).toBe(false);
    writeFileSync(cursor, JSON.stringify({ mcpServers: { back: testServer("gate.mjs", "back") } }));
    await gateway.logged("1 added (back)");
  });

  it("keeps servers running when a client file is rewritten with the same servers", async () => {
    const { claudeCode } = writeSixClients(machine);
    const gateway = await open();
    const { text } = await gateway.execute("here", "whoami");
    const state = JSON.parse(readFileSync(claudeCode, "utf8")) as object;
    writeFileSync(claudeCode, JSON.stringify({ ...state, numStartups: 13 }));
    rmSync(join(machine.home, ".config/zed/settings.json"));
    await gateway.logged("1 removed (weather)");
    writeFileSync(claudeCode, JSON.stringify({ ...state, numStartups: 14 }));
    writeFileSync(join(machine.home, ".config/zed/settings.json"), '{"context_servers": {}}');
    machine.write(
      "home/.continue/mcpServers/new.yaml",
      `mcpServers:\n  - name: new\n    command: ${process.execPath}\n    args: ${JSON.stringify(testServer("gate.mjs", "new").args)}\n`,
    );
    await gateway.logged("1 added (new)");
    expect(gateway.lines.join("\n")).not.toContain("no server and no section changed");
    expect((await gateway.execute("here", "whoami")).text).toBe(text);
  });

  it("requires trust for servers of the project", async () => {
    writeSixClients(machine);
    const trap = join(machine.project, "sprung");
    const mcp = { mcpServers: { theirs: { command: "sh", args: ["-c", `touch ${trap}`] } } };
    const files = [".mcp.json", ".cursor/mcp.json"].map((name) => machine.write(`project/${name}`, mcp));
    machine.write("project/.vscode/mcp.json", { servers: { mine: testServer("gate.mjs", "mine") } });
    machine.write("project/.vscode/settings.json", { "editor.tabSize": 2 });
    const gateway = await open();
    expect(await gateway.servers()).toEqual(UNION);
    const { text } = await gateway.call("list_mcp_servers");
    for (const file of files) {
      expect(text).toContain(file);
      expect(gateway.lines.join("\n")).toContain(`${file} can start programs and its current content is not trusted`);
    }
    expect(text).not.toContain("settings.json");
    expect((await anygpt("config", "sources")).stdout).toContain(
      `  ! claude-code (${files[0]}) - is in the project folder and is not trusted\n`,
    );
    await anygpt("config", "trust", "--yes", ".vscode/mcp.json");
    await gateway.logged("1 added (mine)");
    expect(existsSync(trap)).toBe(false);
    expect((await anygpt("config", "trust", "--yes")).stdout).toContain(
      `✓ ${files[0]}\n    theirs starts sh -c "touch ${trap}"\n`,
    );
    await gateway.logged("1 added (theirs)");
  });

  it("uses a configuration file as soon as it exists", async () => {
    writeSixClients(machine);
    machine.write(
      "home/.anygpt/mcp-discovery.config.yaml",
      `servers:\n  own: ${JSON.stringify(testServer("gate.mjs", "own"))}\n`,
    );
    expect(await json("list")).toMatchObject({ servers: [{ name: "own" }] });
    machine.write("home/.anygpt/mcp-discovery.config.yaml", "sources: [{ type: zed }, { type: windsurf }]\n");
    expect(await json("list")).toMatchObject({ servers: [{ name: "weather" }] });
  });

  it("loads no parser before there is a file to parse", async () => {
    const parsersFor = async (): Promise<string[]> => {
      const folder = join(machine.home, "loaded");
      rmSync(folder, { recursive: true, force: true });
      machine.env["NODE_V8_COVERAGE"] = folder;
      await anygpt("config", "sources");
      const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
      const chunks = new Set(text.join("").match(/(?<=dist\/chunks\/)[\w-]+(?=-\w+\.js")/g));
      return [...chunks].filter((chunk) => /toml|yaml|json/.test(chunk)).sort();
    };
    expect(await parsersFor()).toEqual([]);
    machine.write("home/.codex/config.toml", "");
    expect(await parsersFor()).toEqual(["toml"]);
  });
});

describe("a gateway started through a wrapper script", () => {
  /** Appends its depth to the trace file at each start, then executes the gateway. */
  const wrapper = (name: string, more = ""): string =>
    machine.program(
      name,
      `#!/bin/sh\necho "\${ANYGPT_DEPTH:-none}" >> ${traceFile()}\nexec ${more} ${process.execPath} ${DISCOVERY} "$@"\n`,
    );
  const traceFile = () => join(machine.home, "trace");
  const trace = () => (existsSync(traceFile()) ? readFileSync(traceFile(), "utf8").trim().split("\n") : []);

  it("imports nothing when another gateway has started it, and reports it", async () => {
    for (const [index, path] of [
      "home/.cursor/mcp.json",
      "home/.codeium/windsurf/mcp_config.json",
      "home/.gemini/settings.json",
    ].entries()) {
      const entry = { command: wrapper(`odd-${index}`), env: { ANYGPT_DEPTH: "0" } };
      machine.write(path, { mcpServers: { [`odd ${index}`]: entry } });
    }
    const gateway = await open();
    await gateway.call("search_tools", { query: "find tools" });
    expect(await gateway.servers()).toEqual(["odd 0", "odd 1", "odd 2"]);
    expect((await gateway.execute("odd 1", "list_mcp_servers")).text).toContain(
      "This gateway was started by another gateway, so it does not search for a configuration and imports no servers.",
    );
    expect((await anygpt("doctor")).exit).toBe(0);
    // Two gateways start each server to list it, in either protocol era, plus one start for the call.
    expect(trace().length).toBeLessThanOrEqual(13);
    expect(new Set(trace())).toEqual(new Set(["1"]));
  });

  it.runIf(process.platform === "linux")(
    "imports nothing when its environment was cleared by the wrapper",
    async () => {
      const cleared = `env -i PATH="$PATH" HOME="$HOME"`;
      for (const [index, path] of ["home/.cursor/mcp.json", "home/.gemini/settings.json"].entries()) {
        machine.write(path, { mcpServers: { [`odd ${index}`]: { command: wrapper(`odd-${index}`, cleared) } } });
      }
      const gateway = await open();
      await gateway.call("search_tools", { query: "find tools" });
      for (const server of ["odd 0", "odd 1"]) {
        expect((await gateway.execute(server, "list_mcp_servers")).text).toContain("imports no servers");
      }
      expect(new Set(trace())).toEqual(new Set(["1"]));
      expect(trace().length).toBeLessThanOrEqual(6);
    },
  );

  it("stops recursing when its configuration starts itself", async () => {
    const file = machine.write("home/loop.json", "");
    writeFileSync(file, JSON.stringify({ servers: { loop: { command: wrapper("loop"), args: ["--config", file] } } }));
    const gateway = await open("--config", file);
    const inside = (tool: string, args: object) => ({ server: "loop", tool, arguments: args });
    const twice = inside("execute_tool", inside("list_mcp_servers", {}));
    expect((await gateway.call("execute_tool", inside("execute_tool", twice))).text).toContain(
      "This gateway was started by a chain of 3 other gateways",
    );
    expect((await gateway.call("execute_tool", twice)).text).toContain('"loop"');
    expect((await anygpt("list", "--config", file)).exit).toBe(0);
    expect(new Set(trace())).toEqual(new Set(["1", "2", "3"]));
    expect(trace().length).toBeLessThan(100);
    for (const opened of gateways.splice(0)) await opened.close();
    await eventually(() => processesWith(file).length === 0);
  });
});
