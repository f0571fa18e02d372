import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { ANYGPT, createHome, type Home, processesWith, testServer } from "../support/gateway.js";

let home: Home;

beforeAll(() => {
  home = createHome({
    servers: [
      { name: "echo", ...testServer("echo.mjs") },
      { name: "broken", ...testServer("faulty.mjs", "exit-now") },
    ],
    toolRules: [{ pattern: "crash", enabled: false }],
  });
});
afterAll(() => home.remove());

/** Runs the built program. */
function anygpt(...argv: string[]) {
  const env = { ...home.env, ANYGPT_CONFIG: home.config };
  const { status, stdout, stderr } = spawnSync(process.execPath, [ANYGPT, ...argv], {
    env,
    cwd: home.folder,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("the anygpt command", () => {
  it.each([
    ["no arguments", [], 0],
    ["--version", ["--version"], 0],
    ["help", ["help"], 0],
    ["help of a command", ["mcp", "help", "list"], 0],
    ["help of an unknown command", ["mcp", "help", "lst"], 1],
    ["list", ["mcp", "list"], 0],
    ["list with a wrong option", ["mcp", "list", "--nope"], 1],
    ["list with a missing configuration", ["mcp", "list", "--config", "none.json"], 2],
    ["search that finds", ["mcp", "search", "add", "numbers"], 0],
    ["search that finds nothing", ["mcp", "search", "xyzzy", "plugh"], 2],
    ["search with a wrong limit", ["mcp", "search", "a", "--limit", "0"], 1],
    ["tools", ["mcp", "tools", "echo"], 0],
    ["tools of an unknown server", ["mcp", "tools", "nobody"], 2],
    ["inspect", ["mcp", "inspect", "echo", "add"], 0],
    ["inspect of an unknown tool", ["mcp", "inspect", "echo", "none"], 2],
    ["execute", ["mcp", "execute", "echo", "add", "--args", '{"a":1,"b":2}'], 0],
    ["execute with wrong JSON", ["mcp", "execute", "echo", "add", "--args", "{"], 1],
    ["execute with wrong arguments", ["mcp", "execute", "echo", "add", "--args", "{}"], 1],
    ["execute of an unknown tool", ["mcp", "execute", "echo", "none"], 2],
    ["execute that fails", ["mcp", "execute", "echo", "fail"], 3],
    ["execute of a disabled tool", ["mcp", "execute", "echo", "crash"], 4],
    ["config show", ["mcp", "config", "show"], 0],
    ["config validate", ["mcp", "config", "validate"], 0],
    ["config sources", ["mcp", "config", "sources"], 0],
    ["config reload", ["mcp", "config", "reload"], 0],
    ["config with a wrong subcommand", ["mcp", "config", "explode"], 1],
    ["doctor", ["mcp", "doctor", "echo"], 0],
    ["doctor with a failing server", ["mcp", "doctor"], 3],
    ["completion", ["mcp", "completion", "bash"], 0],
  ])("exits as documented: %s", (_name, argv, status) => {
    const ran = anygpt(...argv);
    expect({ ...ran, stdout: "", stderr: "" }).toEqual({ status, stdout: "", stderr: "" });
    expect(ran.stdout + ran.stderr).not.toBe("");
    expect(ran.stdout + ran.stderr).not.toContain("    at ");
  });

  it("prints only JSON on standard output with --json", () => {
    const { stdout } = anygpt("mcp", "execute", "echo", "add", "--args", '{"a":1,"b":2}', "--json");
    expect(JSON.parse(stdout)).toEqual({ success: true, result: { sum: 3 } });
  });

  it("exits with 130 on SIGINT in the middle of a call and leaves no process", async () => {
    const marked = createHome({});
    const config = { servers: [{ name: "echo", ...testServer("echo.mjs", marked.folder) }] };
    const other = createHome(config);
    const argv = [
      "mcp",
      "execute",
      "echo",
      "sleep",
      "--args",
      '{"ms":60000,"every":20}',
      "--stream",
      "--config",
      other.config,
    ];
    const child = spawn(process.execPath, [ANYGPT, ...argv], { env: other.env, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.on("data", (text: Buffer) => text.includes("/60000]") && child.kill("SIGINT"));
    const [status] = (await once(child, "exit")) as [number | null];
    expect(status).toBe(130);
    await eventually(() => processesWith(marked.folder).length === 0);
    marked.remove();
    other.remove();
  });

  it("exits with 130 on the first SIGINT while it reads arguments from standard input", async () => {
    const argv = ["mcp", "execute", "echo", "echo", "--args-file", "-", "--config", home.config];
    const child = spawn(process.execPath, [ANYGPT, ...argv], { env: home.env, stdio: ["pipe", "ignore", "pipe"] });
    const errors: string[] = [];
    child.stderr.on("data", (text: Buffer) => errors.push(String(text)));
    const exit = once(child, "close");
    // More than the pipe buffer holds: once it is written, the program is reading.
    child.stdin.write(" ".repeat(2_000_000), () => child.kill("SIGINT"));
    expect(await exit).toEqual([130, null]);
    expect(errors.join("")).toBe("✗ The command was interrupted.\n");
  });

  it("reports in one line that the working folder was removed", () => {
    const command = `mkdir gone && cd gone && rmdir ../gone && exec "${process.execPath}" "${ANYGPT}" mcp list`;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
      env: home.env,
      cwd: home.folder,
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: "",
      stderr: "✗ The current folder does not exist any more. Change to an existing folder.\n",
    });
  });

  it("exits without an error when the reader of its output closes the pipe", () => {
    const env = { ...home.env, ANYGPT_CONFIG: home.config };
    const command = `"${process.execPath}" "${ANYGPT}" mcp execute -q echo big --args '{"bytes":5000000}'`;
    const { stdout, stderr } = spawnSync("sh", ["-c", `${command} | head -c 4`], { env, encoding: "utf8" });
    expect({ stdout, stderr }).toEqual({ stdout: "xxxx", stderr: "" });
  });
});
