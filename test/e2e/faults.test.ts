import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { errorOf } from "../support/error-of.js";
import { isBefore } from "../support/is-before.js";
import { eventually, isRunning } from "../support/eventually.js";
import {
  connectGateway,
  createHome,
  descendantsOf,
  type Gateway,
  type Home,
  INITIALIZE,
  processesWith,
  spawnGateway,
  testServer,
} from "../support/gateway.js";
import { writeWarmCatalog } from "../support/warm-catalog.js";

const opened: { close?: () => Promise<void>; remove?: () => void }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) {
    await one.close?.();
    one.remove?.();
  }
});

function homeWith(config: object): Home {
  const home = createHome(config);
  opened.push(home);
  return home;
}

async function connect(home: Home): Promise<Gateway> {
  const gateway = await connectGateway(home);
  opened.push(gateway);
  return gateway;
}

const execute = (gateway: Gateway, server: string, tool: string, args: object = {}) =>
  gateway.call("execute_tool", { server, tool, arguments: args });

/** A call that has reached its server and runs for a minute unless it is interrupted. */
async function longCall(gateway: Gateway, server: string, signal?: AbortSignal) {
  let answer: Promise<{ isError?: boolean | undefined; content: unknown[] }> | undefined;
  await new Promise<void>((reached) => {
    const args = { server, tool: "sleep", arguments: { ms: 60_000, every: 10 } };
    const options = { onprogress: () => reached(), ...(signal === undefined ? {} : { signal }) };
    answer = gateway.client.callTool({ name: "execute_tool", arguments: args }, options);
  });
  return { answer: answer! };
}

/** A hundred servers that append a line to the file at each start. */
function hundred(file: string): Record<string, object> {
  const { command, args } = testServer("echo.mjs");
  const start = (n: number) => `echo ${n} >> "${file}"; exec "${command}" "${args[0]}"`;
  return Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`s${n}`, { command: "sh", args: ["-c", start(n)] }]),
  );
}

describe("a warm start", () => {
  it("answers tools/list and a search over a hundred servers without starting any process", async () => {
    const home = homeWith({ servers: { only: testServer("echo.mjs") } });
    // One server fills the catalog; its cache file then stands for the caches of a hundred servers of this kind.
    const first = await connect(home);
    await first.call("search_tools", { query: "echo" });
    await first.close();
    const started = join(home.folder, "started");
    const servers = hundred(started);
    writeFileSync(home.config, JSON.stringify({ servers }));
    await writeWarmCatalog(home, servers);

    const gateway = await connect(home);
    await gateway.client.listTools();
    const found = (await gateway.call("search_tools", { query: "add two numbers", limit: 50 })).json() as {
      results: object[];
      pending?: string[];
    };
    expect(found.results.length).toBeGreaterThan(10);
    expect(found.pending).toBeUndefined();
    expect(descendantsOf(gateway.pid)).toEqual([]);
    expect(existsSync(started)).toBe(false);

    // The first call starts this one server and the reaper.
    expect((await execute(gateway, "s7", "add", { a: 2, b: 3 })).text).toBe("5");
    expect(readFileSync(started, "utf8")).toBe("7\n");
    expect(descendantsOf(gateway.pid)).toHaveLength(2);
  });
});

describe("broken servers among forty servers", () => {
  const BROKEN: Record<string, object> = {
    missing: { command: "no-such-command-anywhere" },
    exits: testServer("faulty.mjs", "exit-now"),
    hangs: testServer("faulty.mjs", "hang-init"),
    rubbish: testServer("faulty.mjs", "garbage"),
  };

  it("leave the others usable and are listed with their reasons", async () => {
    const good = Object.fromEntries(Array.from({ length: 36 }, (_, n) => [`good${n}`, testServer("echo.mjs")]));
    const gateway = await connect(homeWith({ servers: { ...BROKEN, ...good }, upstreams: { startTimeoutMs: 2000 } }));
    type Listed = { servers: { name: string; status: string; toolCount: number; reason?: string }[] };
    const listed = async () => ((await gateway.call("list_mcp_servers", {})).json() as Listed).servers;
    await eventually(async () => {
      const servers = await listed();
      const known = servers.filter(({ name, toolCount }) => name.startsWith("good") && toolCount === 15);
      const failed = servers.filter(
        ({ name, status, reason = "" }) => name in BROKEN && status === "error" && reason.length > 10,
      );
      return known.length === 36 && failed.length === 4;
    });
    const sums = await Promise.all(
      Array.from({ length: 10 }, (_, n) => execute(gateway, `good${n * 3}`, "add", { a: n, b: 1 })),
    );
    expect(sums.map(({ text }) => text)).toEqual(sums.map((_, n) => String(n + 1)));
    for (const name of Object.keys(BROKEN)) {
      const { json, isError } = await execute(gateway, name, "anything");
      expect(isError).toBe(true);
      expect(json()).toMatchObject({
        error: {
          code: expect.stringMatching(/^(SERVER_CONNECTION_ERROR|UPSTREAM_STARTING)$/),
          hint: expect.any(String),
        },
      });
    }
  });
});

describe("kill -9 in the middle of a call", () => {
  it("of the server: the caller gets an error at once, the next call works, no process is left", async () => {
    const gateway = await connect(homeWith({ servers: { echo: testServer("echo.mjs") } }));
    const victim = Number((await execute(gateway, "echo", "pid")).text);
    const call = await longCall(gateway, "echo");
    process.kill(victim, "SIGKILL");
    expect(await isBefore(call.answer, 30_000)).toBe(true);
    const result = await call.answer;
    expect(result.isError).toBe(true);
    expect(errorOf(result)).toMatchObject({ code: "TOOL_EXECUTION_ERROR", executed: "unknown" });
    const next = await execute(gateway, "echo", "pid");
    expect(Number(next.text)).not.toBe(victim);
    expect(isRunning(victim)).toBe(false);
  });

  it("of a wrapper shell: the same, and the server inside is killed too", async () => {
    const { command, args } = testServer("echo.mjs");
    const inShell = { command: "sh", args: ["-c", `"${command}" "${args[0]}"; :`] };
    const gateway = await connect(homeWith({ servers: { wrapped: inShell } }));
    const inner = Number((await execute(gateway, "wrapped", "pid")).text);
    const shell = descendantsOf(gateway.pid).find((pid) => descendantsOf(pid).includes(inner));
    const call = await longCall(gateway, "wrapped");
    process.kill(shell!, "SIGKILL");
    expect(errorOf(await call.answer)).toMatchObject({ code: "TOOL_EXECUTION_ERROR", executed: "unknown" });
    await eventually(() => !isRunning(inner));
    expect(Number((await execute(gateway, "wrapped", "pid")).text)).toBeGreaterThan(0);
  });

  it("of the gateway: no server, no grandchild and no reaper survives", async () => {
    const marker = `reaped-${process.pid}`;
    const servers = Object.fromEntries(
      Array.from({ length: 5 }, (_, n) => [
        `s${n}`,
        testServer(n % 2 === 0 ? "echo.mjs" : "faulty.mjs", ...(n % 2 === 0 ? [] : ["ignore-term"]), marker),
      ]),
    );
    const { command, args } = testServer("echo.mjs", marker);
    const home = homeWith({
      servers: { ...servers, wrapped: { command: "sh", args: ["-c", `"${command}" ${args.join(" ")}; :`] } },
    });
    const gateway = await connect(home);
    await Promise.all(["s0", "s2", "s4", "wrapped"].map((name) => execute(gateway, name, "pid")));
    await Promise.all(["s1", "s3"].map((name) => gateway.call("list_tools", { server: name })));
    const running = descendantsOf(gateway.pid);
    expect(running.length).toBeGreaterThanOrEqual(5);
    process.kill(gateway.pid, "SIGKILL");
    await eventually(() => running.every((pid) => !isRunning(pid)) && processesWith(marker).length === 0);
  });
});

describe("a stop signal", () => {
  it("lets short calls finish, answers the long ones and leaves no process", async () => {
    const home = homeWith({ servers: { echo: testServer("echo.mjs") } });
    const raw = spawnGateway(home);
    raw.send(INITIALIZE);
    await raw.answer(0);
    raw.send({ method: "notifications/initialized" });
    const call = (id: number, tool: string, args: object) =>
      raw.send({
        id,
        method: "tools/call",
        params: { name: "execute_tool", arguments: { server: "echo", tool, arguments: args } },
      });
    call(1, "pid", {});
    const first = (await raw.answer(1)).result as { content: { text: string }[] };
    call(2, "sleep", { ms: 300 });
    call(3, "sleep", { ms: 60_000 });
    raw.send({ id: 4, method: "ping" });
    await raw.answer(4);
    raw.process.kill("SIGTERM");
    const isInTime = isBefore(raw.exit, 30_000);
    expect((await raw.answer(2)).result).toMatchObject({ content: [{ text: "slept 300" }] });
    const ended = (await raw.answer(3)).result as { isError: boolean; content: { text: string }[] };
    expect(ended.isError).toBe(true);
    expect(JSON.parse(ended.content[0]!.text)).toMatchObject({ error: { code: "CANCELLED" } });
    expect(await raw.exit).toBe(0);
    expect(await isInTime).toBe(true);
    await eventually(() => !isRunning(Number(first.content[0]!.text)));
  });

  it("ends the gateway in time even if the client does not read", async () => {
    const raw = spawnGateway(homeWith({ servers: { echo: testServer("echo.mjs") } }));
    raw.send(INITIALIZE);
    await raw.answer(0);
    raw.process.stdout.pause();
    for (let id = 1; id <= 200; id++) {
      const args = { server: "echo", tool: "big", arguments: { bytes: 200_000 } };
      raw.send({ id, method: "tools/call", params: { name: "execute_tool", arguments: args } });
    }
    await eventually(() => descendantsOf(raw.process.pid!).length > 0);
    const running = descendantsOf(raw.process.pid!);
    const exited = new Promise((resolve) => raw.process.once("exit", resolve));
    raw.process.kill("SIGTERM");
    await exited;
    await eventually(() => !running.some(isRunning));
    expect(running.length).toBeGreaterThan(0);
  });
});

describe("closing", () => {
  it("standard error does not stop the gateway", async () => {
    const raw = spawnGateway(homeWith({ servers: { echo: testServer("echo.mjs") } }));
    raw.process.stderr.destroy();
    raw.send(INITIALIZE);
    await raw.answer(0);
    const args = { server: "echo", tool: "add", arguments: { a: 1, b: 2 } };
    raw.send({ id: 1, method: "tools/call", params: { name: "execute_tool", arguments: args } });
    expect((await raw.answer(1)).result).toMatchObject({ content: [{ text: "3" }] });
    raw.process.stdin.end();
    expect(await raw.exit).toBe(0);
  });

  it("standard input right after a call does not lose the answer", async () => {
    const raw = spawnGateway(homeWith({ servers: { echo: testServer("echo.mjs") } }));
    raw.send(INITIALIZE);
    const args = { server: "echo", tool: "add", arguments: { a: 1, b: 2 } };
    raw.send({ id: 1, method: "tools/call", params: { name: "execute_tool", arguments: args } });
    raw.process.stdin.end();
    expect((await raw.answer(1)).result).toMatchObject({ content: [{ text: "3" }] });
    expect(await raw.exit).toBe(0);
  });

  it("standard input ends the gateway and its servers", async () => {
    const home = homeWith({ servers: { echo: testServer("echo.mjs") } });
    const gateway = await connect(home);
    const pid = Number((await execute(gateway, "echo", "pid")).text);
    await gateway.close();
    await eventually(() => !isRunning(gateway.pid) && !isRunning(pid));
    expect(pid).toBeGreaterThan(1);
  });
});

describe("SIGHUP", () => {
  it("reloads the configuration of a running gateway; an invalid one changes nothing", async () => {
    const home = homeWith({ servers: { before: testServer("echo.mjs") } });
    const gateway = await connect(home);
    const names = async () =>
      ((await gateway.call("list_mcp_servers", {})).json() as { servers: { name: string }[] }).servers.map(
        ({ name }) => name,
      );
    expect(await names()).toEqual(["before", "anygpt"]);
    writeFileSync(
      home.config,
      JSON.stringify({ servers: { before: testServer("echo.mjs"), after: testServer("echo.mjs") } }),
    );
    process.kill(gateway.pid, "SIGHUP");
    await eventually(async () => (await names()).length === 3);
    expect((await execute(gateway, "after", "add", { a: 1, b: 1 })).text).toBe("2");
    writeFileSync(home.config, '{"servers": ');
    const refused = gateway.logged("the previous one stays in use");
    process.kill(gateway.pid, "SIGHUP");
    await refused;
    expect((await execute(gateway, "before", "add", { a: 1, b: 1 })).text).toBe("2");
    expect(await names()).toEqual(["before", "after", "anygpt"]);
  });
});

describe("cancellation", () => {
  it("reaches the server and keeps the connection open", async () => {
    const gateway = await connect(homeWith({ servers: { echo: testServer("echo.mjs") } }));
    const before = (await execute(gateway, "echo", "pid")).text;
    const abort = new AbortController();
    const call = await longCall(gateway, "echo", abort.signal);
    abort.abort("not needed any more");
    await expect(call.answer).rejects.toThrow("not needed any more");
    await eventually(async () => (await execute(gateway, "echo", "cancelled")).text !== "[]");
    expect((await execute(gateway, "echo", "pid")).text).toBe(before);
  });
});

describe("hostile input", () => {
  it("affects only the bad line", async () => {
    const raw = spawnGateway(homeWith({ servers: {} }));
    raw.send("garbage");
    expect((await raw.answer(null)).error?.code).toBe(-32700);
    raw.send(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"${"y".repeat(2_000_000)}"}}`);
    expect((await raw.answer(1)).error?.code).toBe(-32600);
    raw.send(INITIALIZE);
    await raw.answer(0);
    raw.send({ id: 5, method: "no/such/method" });
    expect((await raw.answer(5)).error?.code).toBe(-32601);
    raw.send({ id: 6, method: "tools/call", params: { name: 7 } });
    expect((await raw.answer(6)).error?.code).toBe(-32602);
    raw.send(
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"execute_tool","arguments":{"server":"a","tool":"b","arguments":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}}}`,
    );
    expect((await raw.answer(7)).error?.code).toBe(-32600);
    raw.send({ id: 8, method: "tools/list" });
    expect((await raw.answer(8)).result?.["tools"]).toHaveLength(5);
    raw.process.stdin.end();
    expect(await raw.exit).toBe(0);
  });
});

describe("large results", () => {
  it("are shortened to a view whose last line is the call that reads on, page by page", async () => {
    const gateway = await connect(homeWith({ servers: { echo: testServer("echo.mjs") } }));
    const { text } = await execute(gateway, "echo", "big", { bytes: 200_000 });
    expect(text.length).toBeLessThan(2000);
    const [, first] =
      /\[Shortened: 200,000 characters, .* Next: execute_tool (\{.*\}); or one of .*\]$/.exec(text) ?? [];
    const pages: string[] = [];
    for (let next = first; next !== undefined; ) {
      const page = await gateway.call("execute_tool", JSON.parse(next) as object);
      const [notice, , call] = /\n\[page \d+ of \d+(\. Next: execute_tool (\{.*\}))?\]$/.exec(page.text) ?? [];
      expect({ isError: page.isError, notice }).toEqual({ isError: false, notice: expect.any(String) as string });
      pages.push(page.text.slice(0, -String(notice).length));
      next = call;
    }
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.join("")).toBe("x".repeat(200_000));
  });

  it("without a budget are truncated with a marker and available in full as resources", async () => {
    const gateway = await connect(
      homeWith({
        servers: { echo: testServer("echo.mjs") },
        execution: { resultLimit: 5000 },
        results: { maxTokens: 0 },
      }),
    );
    const { text } = await execute(gateway, "echo", "big", { bytes: 200_000 });
    expect(text.length).toBeLessThan(6000);
    const [, id = "", pages = ""] =
      /anygpt:\/\/results\/([^/]+)\/1 to anygpt:\/\/results\/[^/]+\/(\d+)/.exec(text) ?? [];
    const read = await Promise.all(
      Array.from({ length: Number(pages) }, (_, n) =>
        gateway.client.readResource({ uri: `anygpt://results/${id}/${n + 1}` }),
      ),
    );
    const whole = JSON.parse(read.map(({ contents }) => (contents[0] as { text: string }).text).join("")) as {
      content: { text: string }[];
    };
    expect(whole.content[0]!.text).toBe("x".repeat(200_000));
  });

  it("above the hard limit fail with their own error and affect no other call", async () => {
    const gateway = await connect(homeWith({ servers: { echo: testServer("echo.mjs") } }));
    const [huge, small] = await Promise.all([
      execute(gateway, "echo", "big", { bytes: 12_000_000 }),
      execute(gateway, "echo", "add", { a: 1, b: 1 }),
    ]);
    expect(huge.error).toMatchObject({ code: "RESULT_TOO_LARGE", executed: "yes" });
    expect(small.text).toBe("2");
    expect((await execute(gateway, "echo", "add", { a: 2, b: 2 })).text).toBe("4");
  });
});
