import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { isBefore } from "../../test/support/is-before.js";
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
import type { DiscoveryError } from "../errors.js";

afterEach(closeAll);

describe("a child process", () => {
  it("receives the safe variables and those of its entry, and no others", async () => {
    const env = { PATH: process.env["PATH"], HOME: "/home/me", CANARY: "parent" };
    const target = stdioTarget("echo", [], {
      connection: () => ({
        kind: "stdio",
        command: process.execPath,
        args: [serverFile("echo.mjs")],
        env: { OWN: "value" },
      }),
    });
    const seen = JSON.parse(textOf(await openWatched({}, { env }).call(target, toCall("env")))) as object;
    expect(seen).toEqual({ PATH: process.env["PATH"], HOME: "/home/me", OWN: "value" });
  });

  it("that is killed fails its calls immediately, and the next call works", async () => {
    const upstreams = openWatched();
    const pid = await pidOf(upstreams);
    const call = upstreams.call(echo, toCall("sleep", { ms: 60_000 }));
    const failed = call.catch((error: unknown) => error);
    await eventually(() => inFlight(upstreams, "echo") === 1);
    process.kill(pid, "SIGKILL");
    expect(await failed).toMatchObject({
      code: "TOOL_EXECUTION_ERROR",
      message: "echo was killed by SIGKILL.",
      executed: "unknown",
    });
    expect(upstreams.state("echo")).toMatchObject({ kind: "failed" });
    expect(await pidOf(upstreams)).not.toBe(pid);
    expect(upstreams.states).toEqual(["starting", "open", "failed", "starting", "open"]);
  });

  it.runIf(process.platform === "linux")(
    "that has exited before Node reports it does not lose a call that it did not receive",
    async () => {
      const upstreams = openWatched();
      const pid = await pidOf(upstreams);
      const failed = upstreams.call(echo, toCall("sleep", { ms: 60_000 })).catch((error: unknown) => error);
      await eventually(() => inFlight(upstreams, "echo") === 1);
      process.kill(pid, "SIGKILL");
      // The loop blocks the event loop until the last thread has closed the pipes, so the exit is reported after the
      // call.
      while (readdirSync(`/proc/${pid}/task`).length > 1 || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
      expect(textOf(await upstreams.call(echo, toCall("echo", { text: "again" })))).toBe("again");
      expect(await failed).toMatchObject({ message: "echo was killed by SIGKILL.", executed: "unknown" });
      expect(upstreams.states.filter((state) => state === "failed")).toHaveLength(1);
    },
  );

  it("that crashes is reported with its error message", async () => {
    await expect(openWatched().call(echo, toCall("crash"))).rejects.toMatchObject({
      message: 'echo exited with code 3: "something went terribly wrong".',
    });
  });

  it("that prints its secrets is reported without them", async () => {
    const upstreams = openWatched();
    const target = stdioTarget("faulty", [], {
      connection: () => ({
        kind: "stdio",
        command: process.execPath,
        args: [serverFile("faulty.mjs"), "leak"],
        env: { TOKEN: "s3cret-value" },
      }),
    });
    const error = await upstreams.call(target, toCall("x")).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: 'faulty exited with code 1: "the token *** was refused".' });
    expect(
      JSON.stringify([error, upstreams.state("faulty"), upstreams.stderr("faulty"), upstreams.logged]),
    ).not.toContain("s3cret-value");
  });

  it("behind a wrapper that is killed is detected, replaced and not left running", async () => {
    const upstreams = openWatched();
    const target = stdioTarget("faulty", [], {
      connection: () => ({
        kind: "stdio",
        command: "sh",
        args: ["-c", `"${process.execPath}" "${serverFile("faulty.mjs")}" grandchild; :`],
        env: {},
      }),
    });
    const [server, grandchild] = textOf(await upstreams.call(target, toCall("pids")))
      .split(" ")
      .map(Number) as [number, number];
    const wrapper = Number(/\d+/.exec(readFileSync(`/proc/${server}/stat`, "utf8").split(") ")[1]!)![0]);
    const failed = upstreams.call(target, toCall("hang")).catch((error: unknown) => error);
    await eventually(() => inFlight(upstreams, "faulty") === 1);
    process.kill(wrapper, "SIGKILL");
    expect(await failed).toMatchObject({ code: "TOOL_EXECUTION_ERROR", executed: "unknown" });
    expect(textOf(await upstreams.call(target, toCall("pids")))).not.toContain(String(server));
    await eventually(() => !isRunning(server) && !isRunning(grandchild));
  });

  it("that ignores the end of its input and SIGTERM is killed with its descendants within ten seconds", async () => {
    const upstreams = openWatched();
    const stubborn = Number(textOf(await upstreams.call(faulty("ignore-term"), toCall("pid"))));
    const meek = await pidOf(upstreams);
    expect(await isBefore(upstreams.close(), 10_000)).toBe(true);
    expect([stubborn, meek].filter(isRunning)).toEqual([]);
    await expect(upstreams.call(echo, toCall("pid"))).rejects.toMatchObject({ code: "SERVER_CONNECTION_ERROR" });
  });

  it("that floods stderr does not block its calls, and its last lines are available", async () => {
    const upstreams = openWatched();
    expect(textOf(await upstreams.call(faulty("stderr-flood"), toCall("echo", { a: 1 })))).toBe('{"a":1}');
    expect(upstreams.stderr("faulty").at(-1)).toContain("noise");
    expect(upstreams.stderr("faulty").join("").length).toBeLessThanOrEqual(64 * 1024);
  });

  it("that does not read its input is replaced when a call times out", async () => {
    const upstreams = openWatched();
    const arguments_ = { text: "x".repeat(2 * 1024 * 1024) };
    await expect(
      upstreams.call(faulty("no-read"), toCall("echo", arguments_, { timeoutMs: 600 })),
    ).rejects.toMatchObject({ code: "TOOL_EXECUTION_TIMEOUT", executed: "unknown" });
    await eventually(() => upstreams.state("faulty").kind === "failed");
    expect(await pidOf(upstreams, { ...echo, name: "faulty" })).toBeGreaterThan(0);
  });

  it("that does not read its input is replaced at the write timeout", async () => {
    const upstreams = openWatched({ writeTimeoutMs: 300 });
    const arguments_ = { text: "x".repeat(2 * 1024 * 1024) };
    await expect(upstreams.call(faulty("no-read"), toCall("echo", arguments_))).rejects.toMatchObject({
      code: "TOOL_EXECUTION_TIMEOUT",
      message: "faulty stopped reading its input and is replaced.",
    });
    expect(upstreams.state("faulty")).toMatchObject({ kind: "failed" });
  });

  it("that exits right after its answer has answered", async () => {
    let now = 0;
    const upstreams = openWatched({}, { now: () => now });
    for (let count = 0; count < 10; count++) {
      now += 60_000;
      expect(textOf(await upstreams.call(faulty("answer-and-exit"), toCall("x")))).toHaveLength(150_000);
      await eventually(() => upstreams.state("faulty").kind === "failed");
    }
  });

  it("that is frozen is replaced after a call timed out", async () => {
    const upstreams = openWatched({ pulseTimeoutMs: 200 });
    const pid = await pidOf(upstreams);
    process.kill(pid, "SIGSTOP");
    await expect(upstreams.call(echo, toCall("pid", {}, { timeoutMs: 100 }))).rejects.toMatchObject({
      code: "TOOL_EXECUTION_TIMEOUT",
    });
    await eventually(() => upstreams.state("echo").kind === "failed" && !isRunning(pid));
    expect(await pidOf(upstreams)).not.toBe(pid);
  });

  it("that answers a ping is kept although a call timed out without any message", async () => {
    const upstreams = openWatched({ pulseTimeoutMs: 5_000 });
    const pid = await pidOf(upstreams);
    for (let count = 0; count < 20; count++) {
      await expect(upstreams.call(echo, toCall("sleep", { ms: 60_000 }, { timeoutMs: 10 }))).rejects.toMatchObject({
        code: "TOOL_EXECUTION_TIMEOUT",
      });
    }
    expect(await pidOf(upstreams)).toBe(pid);
    expect(upstreams.states).toEqual(["starting", "open"]);
  });

  it("that closes its output is replaced", async () => {
    const upstreams = openWatched();
    await expect(upstreams.call(faulty("closes-stdout"), toCall("x"))).rejects.toMatchObject({
      code: "TOOL_EXECUTION_ERROR",
    });
  });

  it("whose answer is too large fails that call only", async () => {
    const upstreams = openWatched({ maxMessageBytes: 100_000 });
    const target = faulty("huge-line");
    const results = await Promise.allSettled([
      upstreams.call(target, toCall("first", { bytes: 5_000_000 })),
      upstreams.call(target, toCall("last", { bytes: 5_000_000 })),
      upstreams.call(target, toCall("last", { bytes: 50_000 })),
      upstreams.call(target, toCall("small")),
    ]);
    expect(
      results.map((result) => (result.status === "fulfilled" ? "ok" : (result.reason as DiscoveryError).code)),
    ).toEqual(["RESULT_TOO_LARGE", "RESULT_TOO_LARGE", "ok", "ok"]);
    expect(upstreams.states).toEqual(["starting", "open"]);
  });
});
