import { afterEach, describe, expect, it } from "vitest";
import { eventually, isRunning } from "../../test/support/eventually.js";
import {
  closeAll,
  echo,
  faulty,
  inFlight,
  openWatched,
  pidOf,
  serverFile,
  stdioTarget,
  textOf,
  toCall,
} from "../../test/support/upstreams.js";
import { DiscoveryError } from "../errors.js";

afterEach(closeAll);

describe("a start", () => {
  it.each([
    ["exits immediately", "exit-now", 'faulty exited with code 7: "no database configured".'],
    ["exits immediately with code 0", "exit-zero", "faulty exited with code 0."],
    [
      "supports another protocol version only",
      "wrong-version",
      "The handshake with faulty failed: Server's protocol version is not supported: 1999-01-01.",
    ],
  ])("of a server that %s fails with the reason", async (_name, mode, message) => {
    const upstreams = openWatched();
    await expect(upstreams.call(faulty(mode), toCall("x"))).rejects.toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      message,
      executed: "no",
    });
    expect(upstreams.state("faulty")).toMatchObject({ kind: "failed", reason: { message } });
  });

  it.each(["hang-init", "garbage"])(
    "of a server in mode %s fails at the time limit and leaves no process",
    async (mode) => {
      const upstreams = openWatched({ startTimeoutMs: 300 });
      await expect(upstreams.call(faulty(mode), toCall("x"))).rejects.toMatchObject({
        code: "SERVER_CONNECTION_ERROR",
        message: "faulty was not ready within 0.3 s.",
      });
      await upstreams.close();
    },
  );

  it("of a server that prints a banner first succeeds", async () => {
    expect(textOf(await openWatched().call(faulty("banner"), toCall("x", { a: 1 })))).toBe('{"a":1}');
  });

  it("of a command that does not exist fails with the reason", async () => {
    const target = stdioTarget("x", [], {
      connection: () => ({ kind: "stdio", command: "no-such-program", args: [], env: {} }),
    });
    await expect(openWatched().call(target, toCall("x"))).rejects.toMatchObject({
      message: "x could not be started: the command no-such-program was not found.",
    });
  });

  it("that takes long fails the call with UPSTREAM_STARTING and continues", async () => {
    const upstreams = openWatched({ startWaitMs: 20 });
    await expect(upstreams.call(echo, toCall("pid"))).rejects.toMatchObject({
      code: "UPSTREAM_STARTING",
      executed: "no",
    });
    expect(upstreams.state("echo").kind).toBe("starting");
    await eventually(() => upstreams.state("echo").kind === "open");
    expect(await pidOf(upstreams)).toBeGreaterThan(0);
    expect(upstreams.states).toEqual(["starting", "open"]);
  });

  it("of a command that may install its package has the longer time limit", async () => {
    const slow = stdioTarget("slow", [], {
      connection: () => ({
        kind: "stdio",
        command: "sh",
        args: ["-c", `sleep 1; exec "${process.execPath}" "${serverFile("echo.mjs")}"; uvx echo`],
        env: {},
      }),
    });
    const upstreams = openWatched({ startTimeoutMs: 200, probeTimeoutMs: 100 });
    expect(textOf(await upstreams.call(slow, toCall("echo", { text: "there" })))).toBe("there");
    expect(upstreams.states).toEqual(["starting", "open"]);
  });

  it("whose connection cannot be resolved fails with that error, and the next call tries again immediately", async () => {
    const upstreams = openWatched();
    let missing = true;
    const target = stdioTarget("echo", ["echo.mjs"], {
      connection: () => {
        if (missing) throw new DiscoveryError("CONFIGURATION_ERROR", "The variable TOKEN is not set.");
        return echo.connection();
      },
    });
    await expect(upstreams.call(target, toCall("pid"))).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      server: "echo",
    });
    expect(upstreams.state("echo")).toMatchObject({ kind: "failed", reason: { code: "CONFIGURATION_ERROR" } });
    missing = false;
    expect(await pidOf(upstreams, target)).toBeGreaterThan(0);
  });

  it("is not repeated during the back-off, and is repeated after it", async () => {
    let now = 1_000;
    const upstreams = openWatched({}, { now: () => now });
    const target = faulty("exit-now");
    const reason = 'faulty exited with code 7: "no database configured".';
    await expect(upstreams.call(target, toCall("x"))).rejects.toMatchObject({ message: reason });
    await expect(upstreams.call(target, toCall("x"))).rejects.toMatchObject({
      message: reason,
      facts: { retryAfterMs: 375 },
    });
    expect(upstreams.states).toEqual(["starting", "failed"]);
    now += 375;
    await expect(upstreams.call(target, toCall("x"))).rejects.toMatchObject({ message: reason });
    expect(upstreams.states).toEqual(["starting", "failed", "starting", "failed"]);
  });

  it("of a server that crashes repeatedly is paused for a minute", async () => {
    let now = 1_000;
    const upstreams = openWatched({}, { now: () => now });
    for (let crash = 0; crash < 6; crash++) {
      await expect(upstreams.call(echo, toCall("crash"))).rejects.toMatchObject({ code: "TOOL_EXECUTION_ERROR" });
    }
    await expect(upstreams.call(echo, toCall("pid"))).rejects.toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      facts: { retryAfterMs: 60_000 },
    });
    now += 60_000;
    expect(await pidOf(upstreams)).toBeGreaterThan(0);
  });
});

describe("a connection", () => {
  it("is closed after the idle time, and reopened by the next call", async () => {
    const upstreams = openWatched({ idleMs: 30 });
    const pid = await pidOf(upstreams);
    await eventually(() => upstreams.state("echo").kind === "closed" && !isRunning(pid));
    expect(await pidOf(upstreams)).not.toBe(pid);
  });

  it("is not idle while a call is running", async () => {
    const upstreams = openWatched({ idleMs: 30 });
    expect(textOf(await upstreams.call(echo, toCall("sleep", { ms: 200 })))).toBe("slept 200");
    expect(upstreams.states).toEqual(["starting", "open"]);
  });

  it("that is dropped finishes its calls while new calls use a new one", async () => {
    const upstreams = openWatched();
    const old = await pidOf(upstreams);
    const slow = upstreams.call(echo, toCall("sleep", { ms: 300 }));
    await eventually(() => inFlight(upstreams, "echo") === 1);
    const dropped = upstreams.drop("echo");
    expect(await pidOf(upstreams)).not.toBe(old);
    expect(textOf(await slow)).toBe("slept 300");
    await dropped;
    expect(isRunning(old)).toBe(false);
  });

  it("that is dropped while it starts is replaced without failing its callers", async () => {
    const upstreams = openWatched();
    const pid = pidOf(upstreams);
    await upstreams.drop("echo");
    expect(await pid).toBeGreaterThan(0);
  });

  it("reports a burst of list changes once", async () => {
    let now = 0;
    const changed: string[] = [];
    const upstreams = openWatched({}, { now: () => now, onListChanged: (server) => void changed.push(server) });
    await upstreams.call(faulty("list-changed-storm"), toCall("x"));
    now = 5_000;
    await eventually(() => changed.length > 0);
    expect(changed).toEqual(["faulty"]);
  });
});

describe("a list", () => {
  it("does not treat the notification that follows every handshake as a change", async () => {
    const changed: string[] = [];
    const upstreams = openWatched({}, { onListChanged: (server) => void changed.push(server) });
    const announcing = (name: string) => stdioTarget(name, ["faulty.mjs", "announces-at-start"]);
    await upstreams.list(announcing("listed"));
    await upstreams.call(announcing("called"), toCall("x"));
    await eventually(() => changed.length > 0);
    expect(changed).toEqual(["called"]);
  });

  it("opens a connection and closes it afterwards", async () => {
    const upstreams = openWatched();
    const listing = await upstreams.list(echo);
    expect(listing).toMatchObject({
      era: "legacy",
      title: "The echo server",
      version: "1.2.3",
      instructions: "Use echo wisely.",
      truncated: false,
      dropped: [],
    });
    expect(listing.tools.map(({ name }) => name)).toContain("echo");
    expect(upstreams.states).toEqual(["starting", "open", "closed"]);
  });

  it("uses the open connection and leaves it open", async () => {
    const upstreams = openWatched();
    await pidOf(upstreams);
    await upstreams.list(echo);
    expect(upstreams.states).toEqual(["starting", "open"]);
  });

  it("leaves its connection open for a call that came in the meantime", async () => {
    const upstreams = openWatched();
    const [, pid] = await Promise.all([upstreams.list(echo), pidOf(upstreams)]);
    expect(await pidOf(upstreams)).toBe(pid);
  });

  it("leaves its connection open for an announced call until the announcement is withdrawn", async () => {
    const upstreams = openWatched();
    const [first, second] = [upstreams.expectCall("echo"), upstreams.expectCall("echo")];
    await upstreams.list(echo);
    first();
    await pidOf(upstreams);
    second();
    expect(upstreams.states).toEqual(["starting", "open"]);
    const other = openWatched();
    const arrived = other.expectCall("echo");
    await other.list(echo);
    arrived();
    await eventually(() => other.states.at(-1) === "closed");
    expect(other.states).toEqual(["starting", "open", "closed"]);
  });

  it("that is cancelled leaves no process", async () => {
    const upstreams = openWatched();
    const controller = new AbortController();
    const list = upstreams.list(echo, controller.signal);
    controller.abort();
    await expect(list).rejects.toMatchObject({ code: "CANCELLED" });
    await eventually(() => upstreams.state("echo").kind === "closed");
  });

  it.each([
    ["to its last page", ["pages"], 6, false],
    ["to an empty cursor", ["pages", ""], 6, false],
    ["to a repeated cursor", ["page-loop"], 1, true],
    ["to a hundred pages", ["page-endless"], 100, true],
  ])("is read %s", async (_name, mode, count, truncated) => {
    const listing = await openWatched().list(faulty(...mode));
    expect(listing.tools).toHaveLength(count);
    expect(listing.truncated).toBe(truncated);
  });

  it("fails completely when a page fails", async () => {
    await expect(openWatched().list(faulty("page-fails"))).rejects.toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      facts: { jsonRpcCode: -32_603 },
    });
  });

  it("of a server that becomes silent after the handshake fails at its time limit, with the reason", async () => {
    const upstreams = openWatched({ listTimeoutMs: 200 });
    await expect(upstreams.list(faulty("silent-list"))).rejects.toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      executed: "no",
      message: "faulty did not answer within 0.2 s.",
    });
  });

  it("skips malformed tools only", async () => {
    const listing = await openWatched().list(faulty("bad-tools"));
    expect(listing.tools.map(({ name }) => name)).toEqual(["good", "no-schema"]);
    expect(listing.dropped.map(({ name }) => name)).toEqual(["null-schema", "", "", "good"]);
  });

  it("of a server without tools is empty", async () => {
    expect(await openWatched().list(faulty("no-tools"))).toMatchObject({ tools: [], truncated: false });
  });
});
