// Signals and the environment of the built programs: what another process of the same user can do to a gateway that
// starts, and what it can read of one that runs.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  ANYGPT,
  createHome,
  DISCOVERY,
  type Home,
  INITIALIZE,
  ROOT,
  spawnGateway,
  testServer,
} from "../support/gateway.js";
import { eventually, isRunning } from "../support/eventually.js";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

function homeWith(config: object): Home {
  const home = createHome(config);
  ends.push(() => home.remove());
  return home;
}

function start(words: readonly string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [...words], { env, stdio: ["pipe", "pipe", "pipe"] });
  ends.push(() => child.kill("SIGKILL"));
  return child;
}

/**
 * Sends SIGHUP to its own process when the program's first module is loaded, at each further module, and at each turn
 * of the event loop. Reports how many signals it has sent.
 */
const HANGING_UP = `
const Module = require("node:module");
const load = Module._load;
let sent = 0;
const hangUp = () => { sent += 1; process.kill(process.pid, "SIGHUP"); };
Module._load = function (request, ...rest) {
  // The programs in bin/ consist of this call.
  if (/main\\.cjs$/.test(request)) { const turn = setInterval(() => (hangUp(), sent > 400 && clearInterval(turn)), 1); turn.unref(); }
  else if (rest[0]?.filename?.endsWith("main.cjs")) {
    // The first line of the bundle is a banner that needs this module of Node.js.
    if (request !== "node:url") hangUp();
  }
  return load.call(this, request, ...rest);
};
process.on("exit", () => require("node:fs").writeSync(2, "sent " + sent + "\\n"));
`;

describe.skipIf(process.platform === "win32")("SIGHUP while the gateway starts", () => {
  it.each([
    ["discovery", [DISCOVERY]],
    ["anygpt mcp serve", [ANYGPT, "mcp", "serve"]],
  ])("does not end %s, from its first module on", async (_name, words) => {
    const home = homeWith({ servers: { echo: testServer("echo.mjs") } });
    const hook = join(home.folder, "hang-up.cjs");
    writeFileSync(hook, HANGING_UP);
    const child = start(["-r", hook, ...words, "--config", home.config], home.env);
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const closed = once(child, "close") as Promise<[number | null, string | null]>;
    const answered = once(child.stdout as NodeJS.ReadableStream, "data").then(
      ([line]: unknown[]) => JSON.parse(String(line)) as object,
    );
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...INITIALIZE })}\n`);
    expect(await Promise.race([answered, closed])).toMatchObject({ result: { serverInfo: {} } });
    child.stdin?.end();
    expect(await closed).toEqual([0, null]);
    expect(Number(/sent (\d+)/.exec(said)?.[1])).toBeGreaterThan(20);
  });

  it("still ends a command that does not serve", async () => {
    const home = homeWith({ servers: {} });
    const hook = join(home.folder, "hang-up.cjs");
    writeFileSync(hook, HANGING_UP);
    const child = start(["-r", hook, ANYGPT, "mcp", "list", "--config", home.config], home.env);
    child.stdout?.resume();
    child.stderr?.resume();
    expect(await once(child, "close")).toEqual([null, "SIGHUP"]);
  });
});

describe.skipIf(process.platform !== "linux")("the reload command of the systemd unit", () => {
  const [, command = ""] =
    /^ExecReload=\/bin\/sh -c '(.*)'$/m.exec(
      readFileSync(join(ROOT, "packaging/systemd/anygpt-discovery.service"), "utf8"),
    ) ?? [];

  it("does not end a gateway, at whatever moment of its start it runs", async () => {
    const home = homeWith({ servers: {} });
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const gateway = spawnGateway(home);
      ends.push(() => gateway.process.kill("SIGKILL"));
      // systemd replaces $MAINPID. Each attempt begins a little later in the start of the gateway.
      const { pid = 0 } = gateway.process;
      if (attempt > 0) await eventually(() => cpuTicks(pid) >= attempt - 1);
      const reload = spawn("/bin/sh", ["-c", command.replaceAll("$MAINPID", String(pid))], { stdio: "ignore" });
      expect(await once(reload, "close")).toEqual([0, null]);
      gateway.send(INITIALIZE);
      expect(await gateway.answer(0)).toHaveProperty("result");
      gateway.process.stdin.end();
      expect(await gateway.exit).toBe(0);
    }
  });

  it("ends when the gateway has ended", async () => {
    const child = start(["-e", ""], {});
    await once(child, "close");
    const reload = spawn("/bin/sh", ["-c", command.replaceAll("$MAINPID", String(child.pid))], { stdio: "ignore" });
    expect((await once(reload, "close"))[0]).not.toBe(0);
  });
});

/** The processor time of a process in ticks of usually 10 ms; infinite if it has ended. */
function cpuTicks(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return Infinity;
  }
}

describe.skipIf(process.platform === "win32")("SIGUSR1", () => {
  it("does not open the debugger of a gateway", async () => {
    const home = homeWith({ servers: {} });
    const gateway = spawnGateway({ ...home, env: { ...home.env, NODE_OPTIONS: "--inspect-port=0" } });
    ends.push(() => gateway.process.kill("SIGKILL"));
    let said = "";
    gateway.process.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    gateway.send(INITIALIZE);
    await gateway.answer(0);
    gateway.process.kill("SIGUSR1");
    // The control: another process opens its debugger after the same signal, which is sent later.
    const control = start(["--inspect-port=0", "-e", "console.log(1); setInterval(() => 1, 1000)"], {});
    await once(control.stdout as NodeJS.ReadableStream, "data");
    control.kill("SIGUSR1");
    const [opened] = (await once(control.stderr as NodeJS.ReadableStream, "data")) as [Buffer];
    expect(opened.toString()).toContain("Debugger listening");
    gateway.send({ id: 1, method: "tools/list" });
    await gateway.answer(1);
    gateway.process.stdin.end();
    expect([await gateway.exit, said]).toEqual([0, expect.not.stringContaining("Debugger")]);
  });
});

describe.skipIf(process.platform !== "linux")("the environment of a gateway", () => {
  it("is not readable by the servers that it starts, and is still used", async () => {
    const home = homeWith({
      servers: { echo: { ...testServer("echo.mjs"), env: { GIVEN: "${MY_SECRET}" } } },
    });
    const gateway = spawnGateway({ ...home, env: { ...home.env, MY_SECRET: "s3cret-é", EMPTY: "", TZ: "UTC" } });
    ends.push(() => gateway.process.kill("SIGKILL"));
    gateway.send(INITIALIZE);
    await gateway.answer(0);
    gateway.send({ method: "notifications/initialized" });
    const call = { server: "echo", tool: "pid", arguments: {} };
    gateway.send({ id: 2, method: "tools/call", params: { name: "execute_tool", arguments: call } });
    const { result } = await gateway.answer(2);
    const server = Number((result?.["content"] as { text: string }[] | undefined)?.[0]?.text);
    const [own, servers] = [gateway.process.pid, server].map((pid) => readFileSync(`/proc/${pid}/environ`, "utf8"));
    expect(servers).toContain("GIVEN=s3cret-é\0");
    expect(own).not.toContain("s3cret");
    expect(own).toContain("MY_SECRET=");
    expect(own).toContain("TZ=UTC\0");
    gateway.process.stdin.end();
    expect(await gateway.exit).toBe(0);
    await eventually(() => !isRunning(server));
  });
});
