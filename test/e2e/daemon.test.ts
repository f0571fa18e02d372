import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually, isRunning } from "../support/eventually.js";
import { ANYGPT, createHome, descendantsOf, type Home, ROOT, testServer } from "../support/gateway.js";

// Each test starts a dozen processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Command {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  stderr(): string;
}

interface Options {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly input?: string | Buffer;
  readonly bin?: string;
}

let home: Home;
const seen = new Set<number>();

beforeEach(() => {
  home = createHome({ servers: { echo: testServer("echo.mjs"), gate: testServer("gate.mjs", "gate") } });
});

/** Ends every daemon that a test has started, by its process id. */
afterEach(async () => {
  await anygpt(["daemon", "stop", "--all"]);
  for (const pid of await daemonPids()) seen.add(pid);
  for (const pid of seen) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  seen.clear();
  home.remove();
});

function begin(words: readonly string[], { env = {}, cwd = home.folder, input, bin = ANYGPT }: Options = {}): Command {
  const child = spawn(process.execPath, [bin, "mcp", ...words], {
    cwd,
    env: { ...home.env, ANYGPT_DAEMON: "1", ...env },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += String(chunk)));
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  child.stdin.on("error", () => undefined);
  if (input !== undefined) child.stdin.end(input);
  const ended = new Promise<Ran>((resolve) => child.once("close", (exit) => resolve({ exit, stdout, stderr })));
  return { child, ended, stderr: () => stderr };
}

const anygpt = (words: readonly string[], options: Options = {}): Promise<Ran> =>
  begin([...words, "--config", home.config], options).ended;

interface Status {
  readonly pid: number;
  readonly folder: string;
  readonly servers: string[];
  readonly commands_served: number;
  readonly commands_running: number;
}

async function daemons(): Promise<Status[]> {
  const { stdout } = await anygpt(["daemon", "status", "--json"]);
  const found = (JSON.parse(stdout) as { daemons: Status[] }).daemons;
  for (const { pid } of found) seen.add(pid);
  return found;
}

const daemonPids = async (): Promise<number[]> => (await daemons()).map(({ pid }) => pid);
const execute = (tool: string, args: object = {}, options: Options = {}): Promise<Ran> =>
  anygpt(["execute", "echo", tool, "--args", JSON.stringify(args), "--json"], options);
const result = ({ stdout }: Ran): unknown => (JSON.parse(stdout) as { result: unknown }).result;

/** On a busy machine a slow command writes to standard error what it waits for. */
const withoutProgress = (ran: Ran): Ran => ({ ...ran, stderr: ran.stderr.replace(/^Waiting for .*…\n/gm, "") });

describe("commands with a background gateway", () => {
  it("print the same bytes and exit with the same code as without one", async () => {
    const lines = [
      ["list", "--json"],
      ["search", "add two numbers"],
      ["tools", "echo"],
      ["inspect", "echo", "add", "--json"],
      ["execute", "echo", "add", "--args", '{"a":1,"b":2}'],
      ["execute", "echo", "fail"],
      ["execute", "echo", "no_such_tool"],
      ["execute", "echo", "add", "--args", "{broken"],
      ["list", "--no-such-option"],
    ];
    // From here on both know the catalog.
    await anygpt(["list"]);
    for (const words of lines) {
      const alone = withoutProgress(await anygpt([...words, "--no-daemon"]));
      expect({ words, ...withoutProgress(await anygpt(words)) }).toEqual({ words, ...alone });
    }
    expect(await daemons()).toHaveLength(1);
  });

  it("use the same server process, and only the first waits for its start", async () => {
    const first = result(await execute("pid"));
    expect(result(await execute("pid"))).toBe(first);
    const [status] = await daemons();
    expect(status?.servers).toContain("echo");
    expect(isRunning(Number(first))).toBe(true);
    await anygpt(["daemon", "stop"]);
    await eventually(() => !isRunning(Number(first)));
  });

  it("start only one background gateway when ten run at once", async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => execute("pid")));
    expect(new Set(all.map(result)).size).toBe(1);
    expect(all.map(({ stderr }) => stderr).join("")).not.toContain("background gateway");
    expect(await daemons()).toHaveLength(1);
  });

  it("see a configuration edit made just before", async () => {
    await anygpt(["list"]);
    for (const name of ["one", "two", "three"]) {
      writeFileSync(home.config, JSON.stringify({ servers: { [name]: testServer("echo.mjs") } }));
      const { servers } = JSON.parse((await anygpt(["list", "--json"])).stdout) as { servers: { name: string }[] };
      expect(servers.map((server) => server.name)).toContain(name);
      expect(servers).not.toContainEqual(expect.objectContaining({ name: "gate" }));
    }
    writeFileSync(home.config, "{ broken");
    const alone = await anygpt(["list", "--no-daemon"]);
    expect(alone.exit).toBe(2);
    expect(await anygpt(["list"])).toEqual(alone);
    expect(await anygpt(["list"])).toEqual(alone);
    writeFileSync(home.config, JSON.stringify({ servers: { four: testServer("echo.mjs") } }));
    expect((await anygpt(["list"])).stdout).toContain("four");
    expect(await daemons()).toHaveLength(1);
  });

  it("pass the environment of the command to servers", async () => {
    const servers = { gate: { ...testServer("gate.mjs", "gate"), env: { SECRET: "${TOKEN}" } } };
    writeFileSync(home.config, JSON.stringify({ servers }));
    const whoami = ["execute", "gate", "whoami", "--json"];
    expect(result(await anygpt(whoami, { env: { TOKEN: "first" } }))).toMatch(/ first$/);
    const [before] = await daemonPids();
    expect(result(await anygpt(whoami, { env: { TOKEN: "first", TERM: "dumb", SHLVL: "7" } }))).toMatch(/ first$/);
    expect(await daemonPids()).toEqual([before]);
    const changed = await anygpt([...whoami, "--verbose"], { env: { TOKEN: "second" } });
    expect(result(changed)).toMatch(/ second$/);
    expect(changed.stderr).toContain("The environment differs in TOKEN.");
    await eventually(() => !isRunning(before ?? 0));
  });

  it("read standard input only when an option asks for it", async () => {
    const args = { input: '{"text":"é from a pipe"}' };
    const read = await anygpt(["execute", "echo", "echo", "--args-file", "-", "--json"], args);
    expect(result(read)).toBe("é from a pipe");
    const shell = 'printf "1\\n2\\n3\\n" | while read n; do "$@" --args "{\\"text\\":\\"$n\\"}"; done';
    const words = [process.execPath, ANYGPT, "mcp", "execute", "echo", "echo", "--json", "--config", home.config];
    const loop = spawn("sh", ["-c", shell, "sh", ...words], { env: { ...home.env, ANYGPT_DAEMON: "1" } });
    let output = "";
    loop.stdout.on("data", (chunk) => (output += String(chunk)));
    await new Promise((resolve) => loop.once("close", resolve));
    expect([...output.matchAll(/"result": "(\d)"/g)].map((match) => match[1])).toEqual(["1", "2", "3"]);
  });

  it("receive a result of 8 MiB in full", async () => {
    const got = await execute("big", { bytes: 8 * 1024 * 1024 });
    expect(String(result(got))).toHaveLength(8 * 1024 * 1024);
  });

  it("run in their own process if the environment disables the daemon or it cannot start", async () => {
    for (const env of [{ ANYGPT_DAEMON: "0" }, { CI: "true" }]) {
      expect((await execute("add", { a: 1, b: 2 }, { env })).exit).toBe(0);
    }
    expect(await daemons()).toEqual([]);
    mkdirSync(join(home.folder, "state/run"), { recursive: true });
    chmodSync(join(home.folder, "state/run"), 0o755);
    const ran = await execute("add", { a: 1, b: 2 });
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain("! Running without the background gateway: ");
    chmodSync(join(home.folder, "state/run"), 0o700);
  });
});

describe("an interrupted command", () => {
  const hold = (): Command =>
    begin([
      "execute",
      "gate",
      "hold",
      "--args",
      JSON.stringify({ file: join(home.folder, "go") }),
      "--config",
      home.config,
    ]);
  const held = async (): Promise<string> => String(result(await anygpt(["execute", "gate", "held", "--json"])));

  it("ends on Ctrl-C, and the background gateway keeps running", async () => {
    const alone = begin(["execute", "echo", "sleep", "--args", '{"ms":60000}', "--no-daemon", "--config", home.config]);
    await eventually(() => alone.stderr().includes("Executing"));
    await eventually(() => descendantsOf(alone.child.pid ?? 0).length > 0);
    alone.child.kill("SIGINT");
    const { exit } = await alone.ended;
    const held = hold();
    await eventually(async () => (await daemons())[0]?.commands_running === 1);
    held.child.kill("SIGINT");
    expect((await held.ended).exit).toBe(exit);
    expect((await execute("add", { a: 1, b: 2 })).exit).toBe(0);
    expect(await daemons()).toHaveLength(1);
  });

  it("is cancelled when its process is killed", async () => {
    expect((await execute("pid")).exit).toBe(0);
    const sleeping = begin(["execute", "echo", "sleep", "--args", '{"ms":60000}', "--config", home.config]);
    await eventually(async () => (await daemons())[0]?.commands_running === 1);
    sleeping.child.kill("SIGKILL");
    await eventually(async () => (await daemons())[0]?.commands_running === 0);
    expect(result(await execute("cancelled"))).not.toBe("[]");
  });

  it("does not run again when the background gateway is killed, and the next command starts a new one", async () => {
    const one = hold();
    await eventually(async () => (await held()) === "1");
    const [pid = 0] = await daemonPids();
    process.kill(pid, "SIGKILL");
    const { exit, stderr } = await one.ended;
    expect(exit).not.toBe(0);
    expect(stderr).toContain("The background gateway exited before the command was finished.");
    expect((await execute("add", { a: 1, b: 2 })).exit).toBe(0);
    expect(await daemonPids()).not.toContain(pid);
  });
});

describe("a background gateway", () => {
  it("is started, described, restarted and stopped by commands", async () => {
    expect((await anygpt(["daemon", "status"])).stdout).toContain("No background gateway is running.");
    expect((await anygpt(["daemon", "logs"])).exit).toBe(1);
    expect((await anygpt(["daemon", "start"])).stdout).toContain("was started");
    expect((await anygpt(["daemon", "start"])).stdout).toContain("is already running");
    const [before] = await daemonPids();
    expect((await anygpt(["daemon", "restart"])).exit).toBe(0);
    const [status] = await daemons();
    expect(status).toMatchObject({ folder: home.folder, commands_served: 0, commands_running: 0 });
    expect(status?.pid).not.toBe(before);
    expect((await anygpt(["daemon", "logs"])).stdout).toContain("Started, version");
    expect((await anygpt(["daemon", "stop"])).stdout).toContain(`Stopped process ${status?.pid}`);
    expect(await daemons()).toEqual([]);
  });

  it("exits with its servers after the idle timeout", async () => {
    const env = { ANYGPT_DAEMON_IDLE_MINUTES: "0.02" };
    const server = Number(result(await execute("pid", {}, { env })));
    await eventually(() => !isRunning(server));
    await eventually(async () => (await daemons()).length === 0);
    expect((await anygpt(["daemon", "logs"])).stdout).toContain("No command for 0.02 minutes.");
  });

  it("exits when its state folder is removed", async () => {
    const server = Number(result(await execute("pid")));
    const [pid = 0] = await daemonPids();
    rmSync(join(home.folder, "state"), { recursive: true });
    await eventually(() => !isRunning(pid) && !isRunning(server));
    expect(await daemons()).toEqual([]);
  });

  it("is limited to four; the one that has been idle longest exits", async () => {
    const pids: number[] = [];
    for (let index = 0; index < 5; index++) {
      const cwd = join(home.folder, `project-${index}`);
      mkdirSync(cwd);
      expect((await anygpt(["daemon", "start"], { cwd })).exit).toBe(0);
      const all = await daemons();
      pids.push(all.find(({ folder }) => folder === cwd)?.pid ?? 0);
    }
    await eventually(() => !isRunning(pids[0] ?? 0));
    expect((await daemonPids()).toSorted()).toEqual(pids.slice(1).toSorted());
  });

  it("is replaced after an update of the package", async () => {
    const copy = join(home.folder, "package");
    for (const name of ["bin", "dist", "package.json", "model"]) {
      if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    const bin = join(copy, "bin/anygpt.js");
    expect((await execute("pid", {}, { bin })).exit).toBe(0);
    const [before = 0] = await daemonPids();
    utimesSync(join(copy, "dist/main.cjs"), new Date(), new Date(Date.now() - 60_000));
    expect((await execute("pid", {}, { bin })).exit).toBe(0);
    await eventually(() => !isRunning(before));
    expect(await daemonPids()).toHaveLength(1);
  });

  it("asks for trust at the terminal of the command and uses the trusted files", async () => {
    const project = join(home.folder, "project");
    mkdirSync(join(project, ".anygpt"), { recursive: true });
    writeFileSync(
      join(project, ".anygpt/mcp-discovery.config.json"),
      JSON.stringify({ servers: { theirs: testServer("echo.mjs") } }),
    );
    const line = `'${process.execPath}' '${ANYGPT}' mcp list`;
    const given = process.platform === "darwin" ? ["-q", "/dev/null", "sh", "-c", line] : ["-qec", line, "/dev/null"];
    const child = spawn("script", given, { cwd: project, env: { ...home.env, ANYGPT_DAEMON: "1", TERM: "dumb" } });
    let output = "";
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    await eventually(() => output.includes("[y/N]"));
    child.stdin.write("y\n");
    await new Promise((resolve) => child.once("close", resolve));
    expect(output).toContain("theirs");
    expect(await daemons()).toHaveLength(1);
  });

  it("logs no arguments and no values of variables", async () => {
    await execute("echo", { text: "argument-canary" }, { env: { TOKEN: "value-canary" } });
    await execute("echo", { text: "argument-canary" }, { env: { TOKEN: "other-canary" } });
    const { stdout } = await anygpt(["daemon", "logs", "-n", "1000"]);
    expect(stdout).toContain("execute ended with exit code 0");
    expect(stdout).not.toContain("canary");
  });
});
