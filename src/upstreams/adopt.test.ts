import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { eventually, isRunning } from "../../test/support/eventually.js";
import {
  closeAll,
  echo,
  inFlight,
  openWatched,
  pidOf,
  stdioTarget,
  textOf,
  toCall,
} from "../../test/support/upstreams.js";
import { DiscoveryError } from "../errors.js";
import { identityOf } from "./identity.js";
import { upstreamOptions } from "./options.js";
import type { UpstreamTarget } from "./types.js";

afterEach(closeAll);

const identities = async (...targets: UpstreamTarget[]) =>
  new Map(await Promise.all(targets.map(async (one) => [one.name, identityOf(await one.connection())] as const)));
const options = (values: object = {}) => upstreamOptions.parse(values);
const other: UpstreamTarget = stdioTarget("echo", ["echo.mjs", "other"]);

describe("adopt", () => {
  it("keeps an unchanged server with its process", async () => {
    const upstreams = openWatched();
    const pid = await pidOf(upstreams);
    expect(upstreams.adopt({ options: options(), identities: await identities(echo) })).toEqual([]);
    expect(await pidOf(upstreams)).toBe(pid);
  });

  it("lets running calls finish on the old connection and then closes it", async () => {
    const upstreams = openWatched();
    const folder = mkdtempSync(join(tmpdir(), "adopt-"));
    const file = join(folder, "go");
    const gate = stdioTarget("echo", ["gate.mjs", "old"]);
    const held = upstreams.call(gate, toCall("hold", { file }, { timeoutMs: 30_000 }));
    await eventually(() => inFlight(upstreams, "echo") === 1);
    expect(upstreams.adopt({ options: options(), identities: await identities(other) })).toEqual(["echo"]);
    const pid = Number(textOf(await upstreams.call(other, toCall("pid"))));
    writeFileSync(file, "");
    const [, old] = textOf(await held).split(" ");
    expect(Number(old)).not.toBe(pid);
    await eventually(() => !isRunning(Number(old)));
    rmSync(folder, { recursive: true });
  });

  it("lets queued calls finish on the old connection as well", async () => {
    const upstreams = openWatched({ concurrency: 1 });
    const pid = await pidOf(upstreams);
    const slow = upstreams.call(echo, toCall("sleep", { ms: 100 }));
    const waiting = pidOf(upstreams);
    await eventually(() => inFlight(upstreams, "echo") === 1);
    upstreams.adopt({ options: options(), identities: await identities(other) });
    expect(textOf(await slow)).toBe("slept 100");
    expect(await waiting).toBe(pid);
    await eventually(() => !isRunning(pid));
  });

  it("closes a removed server, and a starting server without callers", async () => {
    const upstreams = openWatched();
    const pid = await pidOf(upstreams);
    const hanging = stdioTarget("hanging", ["faulty.mjs", "hang-init"]);
    const call = upstreams.call(hanging, toCall("x", {}, { startWaitMs: 1 }));
    await expect(call).rejects.toMatchObject({ code: "UPSTREAM_STARTING" });
    expect(upstreams.adopt({ options: options(), identities: new Map() })).toEqual(["echo", "hanging"]);
    expect(upstreams.state("hanging")).toEqual({ kind: "closed" });
    await eventually(() => !isRunning(pid));
  });

  it("immediately retries a server that failed because of a missing variable", async () => {
    const upstreams = openWatched();
    const missing: UpstreamTarget = {
      ...echo,
      connection: () => {
        throw new DiscoveryError("CONFIGURATION_ERROR", "The variable A is not set.");
      },
    };
    await expect(upstreams.call(missing, toCall("pid"))).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
    upstreams.adopt({ options: options(), identities: await identities(echo) });
    expect(upstreams.state("echo")).toEqual({ kind: "closed" });
    expect(await pidOf(upstreams)).toBeGreaterThan(0);
  });

  it("keeps the failure state of an unchanged server", async () => {
    const upstreams = openWatched();
    const broken = stdioTarget("broken", ["faulty.mjs", "exit-now"]);
    await expect(upstreams.call(broken, toCall("x"))).rejects.toBeInstanceOf(DiscoveryError);
    upstreams.adopt({ options: options(), identities: await identities(broken) });
    expect(upstreams.state("broken")).toMatchObject({ kind: "failed" });
  });

  it("applies new limits to open connections", async () => {
    const upstreams = openWatched({ concurrency: 1, queue: 0 });
    const pid = await pidOf(upstreams);
    const slow = upstreams.call(echo, toCall("sleep", { ms: 60_000 })).catch(() => undefined);
    await eventually(() => inFlight(upstreams, "echo") === 1);
    await expect(pidOf(upstreams)).rejects.toMatchObject({ code: "OVERLOADED" });
    upstreams.adopt({ options: options({ concurrency: 2, queue: 0 }), identities: await identities(echo) });
    expect(await pidOf(upstreams)).toBe(pid);
    upstreams.adopt({ options: options({ concurrency: 1, queue: 0 }), identities: await identities(echo) });
    await expect(pidOf(upstreams)).rejects.toMatchObject({ code: "OVERLOADED" });
    await upstreams.close();
    await slow;
  });

  it("closes an idle connection after the new idle time", async () => {
    const upstreams = openWatched();
    const pid = await pidOf(upstreams);
    upstreams.adopt({ options: options({ idleMs: 20 }), identities: await identities(echo) });
    expect(await pidOf(upstreams)).toBe(pid);
    await eventually(() => !isRunning(pid));
  });
});

describe("beforeSend", () => {
  it("is called when the call is sent, not when it arrives", async () => {
    const upstreams = openWatched({ concurrency: 1 });
    await pidOf(upstreams);
    let isAllowed = true;
    const beforeSend = (): undefined => {
      if (!isAllowed) throw new DiscoveryError("TOOL_DISABLED", "No.");
    };
    const slow = upstreams.call(echo, toCall("sleep", { ms: 100 }, { beforeSend }));
    const waiting = upstreams.call(echo, toCall("pid", {}, { beforeSend }));
    await eventually(() => inFlight(upstreams, "echo") === 1);
    isAllowed = false;
    await expect(waiting).rejects.toMatchObject({ code: "TOOL_DISABLED", executed: "no" });
    expect(textOf(await slow)).toBe("slept 100");
    isAllowed = true;
    expect(await pidOf(upstreams)).toBeGreaterThan(0);
  });
});
