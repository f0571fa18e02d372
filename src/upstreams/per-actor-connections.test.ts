import { afterEach, describe, expect, it, vi } from "vitest";
import { collectGarbage } from "../../test/support/garbage.js";
import { closeAll, echo, openWatched, textOf, toCall } from "../../test/support/upstreams.js";
import { DiscoveryError } from "../errors.js";

const MINUTE_MS = 60_000;

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

/** A weak reference to the cause of a failed connection, which the pool holds as long as it knows the connection. */
async function failFor(actor: string, upstreams: ReturnType<typeof openWatched>): Promise<WeakRef<object>> {
  const cause = new Error(`${actor} has not signed in.`);
  const connection = (): never => {
    throw new DiscoveryError("CONFIGURATION_ERROR", "The actor has not signed in.", { cause });
  };
  await upstreams.call({ ...echo, actor, connection }, toCall("echo")).catch(() => undefined);
  return new WeakRef(cause);
}

async function isGone(held: WeakRef<object>): Promise<boolean> {
  // A reference that was just read stays alive until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  return held.deref() === undefined;
}

describe("a per-actor connection", () => {
  it("that failed is removed after it has been unused for a while", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let now = 0;
    const upstreams = openWatched({}, { now: () => now });
    const held = await failFor("ann", upstreams);
    expect(await isGone(held)).toBe(false);
    now = 9 * MINUTE_MS;
    const fresh = await failFor("bob", upstreams);
    now = 10 * MINUTE_MS;
    vi.advanceTimersByTime(10 * MINUTE_MS);
    expect(await isGone(held)).toBe(true);
    expect(await isGone(fresh)).toBe(false);
    now = 20 * MINUTE_MS;
    vi.advanceTimersByTime(10 * MINUTE_MS);
    expect(await isGone(fresh)).toBe(true);
  });

  it("that failed is removed when there are too many, but not before its failures are a minute old", async () => {
    let ahead = 0;
    // Each read of this clock advances it a little.
    const upstreams = openWatched({}, { now: () => performance.now() + ahead });
    const held = await failFor("ann", upstreams);
    for (let other = 0; other < 1000; other += 1) await failFor(`other ${other}`, upstreams);
    expect(await isGone(held)).toBe(false);
    ahead = MINUTE_MS;
    await failFor("one more", upstreams);
    expect(await isGone(held)).toBe(true);
  });

  it("is not removed while it is used, even after a long time or a reconnection", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let now = 0;
    const upstreams = openWatched({}, { now: () => now });
    let start = (): void => undefined;
    const started = new Promise<void>((resolve) => (start = resolve));
    const mine = { ...echo, actor: "ann" };
    const call = upstreams.call(mine, toCall("pid", {}, { beforeSend: () => (start(), wait) }));
    let go = (): void => undefined;
    const wait = new Promise<void>((resolve) => (go = resolve));
    await started;
    now = 20 * MINUTE_MS;
    vi.advanceTimersByTime(20 * MINUTE_MS);
    go();
    // The call continues on a new connection of the same actor, because the idle one was closed.
    const first = textOf(await call);
    expect(textOf(await upstreams.call(mine, toCall("pid")))).toBe(first);
  });
});
