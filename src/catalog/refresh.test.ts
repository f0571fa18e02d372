import { afterEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import { setUp, LISTING } from "../../test/support/refresh.js";

describe("refresh", () => {
  it("lists unknown servers four at a time", async () => {
    const { refresh, listed, open, settled } = setUp(["a", "b", "c", "d", "e", "f"]);
    refresh.start();
    expect(listed).toEqual(["a", "b", "c", "d"]);
    open.get("b")?.answer();
    await settled();
    expect(listed).toEqual(["a", "b", "c", "d", "e"]);
    await refresh.close();
  });

  it("does not wait for an inactive server, even on a busy machine", async () => {
    const inactive = Array.from({ length: 12 }, (_, number) => `inactive${number}`);
    const { refresh, listed, open } = setUp([...inactive, "a"], { inactive });
    refresh.start();
    await eventually(() => listed.length > inactive.length);
    expect(listed).toEqual([...inactive, "a"]);
    open.get("a")?.answer();
    await refresh.close();
  });

  it("continues with other servers while some do not answer, up to a limit", async () => {
    const silent = Array.from({ length: 28 }, (_, number) => `silent${number}`);
    const { refresh, listed, open, settled } = setUp([...silent, "a", "b"], { patienceMs: 1 });
    refresh.start();
    await eventually(() => listed.length === 28);
    await settled();
    expect(listed).toEqual(silent);
    open.get("silent27")?.fail();
    await settled();
    expect(listed).toEqual([...silent, "a"]);
    open.get("a")?.answer();
    await settled();
    expect(refresh.pending()).toEqual([...silent.slice(0, -1), "b"]);
    for (const one of [...silent, "b"]) open.get(one)?.answer();
    await settled();
    expect(refresh.pending()).toEqual([]);
    await refresh.close();
  });

  it("waits for a server that starts, and only briefly for one that hangs on an idle machine", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const idle = setUp(names, { idle: 0.3 });
    const busy = setUp(names, { idle: 0.29 });
    busy.refresh.start();
    idle.refresh.start();
    await eventually(() => idle.listed.length === 5);
    expect(busy.listed).toEqual(["a", "b", "c", "d"]);
    await idle.refresh.close();
    await busy.refresh.close();
  });

  it("lists servers whose package has to be installed after the others", async () => {
    const { refresh, listed } = setUp(["cold1", "a", "cold2", "b", "c"], { uninstalled: ["cold1", "cold2"] });
    refresh.start();
    expect(listed).toEqual(["a", "b", "c", "cold1"]);
    await refresh.close();
  });

  describe("while packages are installed", () => {
    const names = ["a", "b", "c", "d", "e"];
    const start = (options: Parameters<typeof setUp>[1]) => {
      vi.useFakeTimers();
      const set = setUp(names, { patienceMs: 2000, installing: names, active: names, ...options });
      set.refresh.start();
      vi.advanceTimersByTime(10_000);
      return set;
    };
    afterEach(() => void vi.useRealTimers());

    it("starts no fifth installation while four are active and the processors are busy", async () => {
      const { refresh, listed, clock } = start({});
      expect(listed).toEqual(["a", "b", "c", "d"]);
      clock.elapsed = 30_000;
      vi.advanceTimersByTime(2000);
      expect(listed).toEqual(names);
      await refresh.close();
    });

    it.each([
      ["the processors are idle", { idle: 0.5 }],
      ["an installation is inactive", { active: [], inactive: ["b"] }],
      ["a server is past its installation", { installing: ["a", "b", "c"] }],
    ])("starts the next server if %s", async (_case, options) => {
      const { refresh, listed } = start(options);
      expect(listed).toEqual(names);
      await refresh.close();
    });
  });

  it("lists the servers that have not answered, and releases waiters after the last answer", async () => {
    const { refresh, open, settled } = setUp(["a", "b"]);
    refresh.start();
    expect(refresh.pending()).toEqual(["a", "b"]);
    const known = refresh.whenKnown(60_000);
    open.get("a")?.answer();
    await settled();
    expect(refresh.pending()).toEqual(["b"]);
    open.get("b")?.fail();
    await known;
    expect(refresh.pending()).toEqual([]);
    await refresh.close();
  });

  it("stops waiting after the time limit", async () => {
    const { refresh } = setUp(["a"]);
    refresh.start();
    await refresh.whenKnown(1);
    expect(refresh.pending()).toEqual(["a"]);
    await refresh.close();
  });

  it("starts nothing when everything known is fresh", async () => {
    const { refresh, catalog, listed } = setUp(["a"]);
    await catalog.learn("a", LISTING);
    refresh.start();
    expect(listed).toEqual([]);
    await refresh.close();
  });

  it("lists stale servers one by one, after the unknown ones", async () => {
    const { refresh, catalog, listed, open, clock, settled } = setUp(["a", "b", "c"], { ttlMs: 1000 });
    await catalog.learn("a", LISTING);
    await catalog.learn("b", LISTING);
    clock.now += 2000;
    refresh.start();
    expect(listed).toEqual(["c"]);
    open.get("c")?.answer();
    await settled();
    expect(listed).toEqual(["c", "a"]);
    open.get("a")?.answer();
    await settled();
    expect(listed).toEqual(["c", "a", "b"]);
    await refresh.close();
  });

  it("shares one request between all callers for the same server", async () => {
    const { refresh, listed, open } = setUp(["a"]);
    const both = [refresh.refresh("a"), refresh.refresh("a")];
    open.get("a")?.answer();
    await Promise.all(both);
    expect(listed).toEqual(["a"]);
    await refresh.close();
  });

  it("lists a server again if its tools change during a request", async () => {
    const { refresh, listed, open, settled } = setUp(["a"]);
    const first = refresh.refresh("a");
    const changed = refresh.changed("a");
    open.get("a")?.answer();
    await first;
    await settled();
    expect(listed).toEqual(["a", "a"]);
    open.get("a")?.answer();
    await changed;
    await refresh.close();
  });

  it("rejects waiting callers when it is closed", async () => {
    const { refresh, open } = setUp(["a"]);
    const waiting = refresh.refresh("a");
    await refresh.close();
    open.get("a")?.fail();
    await expect(waiting).rejects.toMatchObject({ code: "SERVER_CONNECTION_ERROR" });
  });

  it("contacts a failed server again after 30 s, then after twice as long each time, up to 10 minutes", async () => {
    const { refresh, listed, open, clock, settled } = setUp(["a"]);
    const pauses = [30, 60, 120, 240, 480, 600, 600].map((seconds) => seconds * 1000);
    for (const [index, pause] of pauses.entries()) {
      refresh.start();
      expect(listed).toHaveLength(index + 1);
      open.get("a")?.fail();
      await settled();
      clock.now += pause - 1;
      refresh.start();
      expect(listed).toHaveLength(index + 1);
      clock.now += 1;
    }
    await refresh.close();
  });

  it("contacts a failed server again at once if the clock was set back", async () => {
    const { refresh, listed, open, clock, settled } = setUp(["a"]);
    refresh.start();
    open.get("a")?.fail();
    await settled();
    clock.now -= 86_400_000;
    refresh.start();
    expect(listed).toEqual(["a", "a"]);
    await refresh.close();
  });

  it("contacts a failed server at once if it is requested, and restarts the delays", async () => {
    const { refresh, catalog, listed, open, clock, settled } = setUp(["a"]);
    for (const pause of [30_000, 60_000]) {
      refresh.start();
      open.get("a")?.fail();
      await settled();
      clock.now += pause;
    }
    const requested = refresh.refresh("a").catch(() => undefined);
    expect(listed).toHaveLength(3);
    open.get("a")?.fail();
    await requested;
    expect(catalog.snapshot().servers.get("a")?.retry).toMatchObject({ count: 1, at: clock.now + 30_000 });
    await refresh.close();
  });

  it("treats a list from the future as stale", async () => {
    const { refresh, catalog, listed, clock } = setUp(["a"]);
    await catalog.learn("a", LISTING);
    clock.now -= 1000;
    refresh.start();
    expect(listed).toEqual(["a"]);
    await refresh.close();
  });

  it("stores the reason of a failure without affecting other servers", async () => {
    const { refresh, catalog, open, settled } = setUp(["a", "b"]);
    refresh.start();
    open.get("a")?.fail();
    open.get("b")?.answer();
    await settled();
    expect(catalog.snapshot().servers.get("a")?.failure?.message).toBe("no.");
    expect(catalog.snapshot().tools.has("b:t")).toBe(true);
    await refresh.close();
  });
});

describe("whenSettled", () => {
  /** Whether the wait has ended. */
  const isOver = async (wait: Promise<void>): Promise<boolean> =>
    await Promise.race([wait.then(() => true), new Promise<false>((resolve) => setImmediate(() => resolve(false)))]);

  it("waits for a young start, for an installation and for a busy process, and not for one that hangs", async () => {
    const names = ["idle", "busy", "installing"];
    const setUpAt = (elapsed: number, options: Parameters<typeof setUp>[1]) => {
      const made = setUp(names, options);
      made.refresh.start();
      made.clock.elapsed += elapsed;
      return made.refresh;
    };
    const over = async (elapsed: number, options: Parameters<typeof setUp>[1] = {}) => {
      const refresh = setUpAt(elapsed, options);
      const result = await isOver(refresh.whenSettled(60_000));
      await refresh.close();
      return result;
    };
    expect(await over(9_999)).toBe(false);
    expect(await over(10_000)).toBe(true);
    expect(await over(59_999, { active: ["busy"] })).toBe(false);
    expect(await over(60_000, { active: ["busy"] })).toBe(true);
    expect(await over(600_000, { installing: ["busy"], active: ["busy"] })).toBe(false);
    expect(await over(10_000, { installing: ["idle"], active: ["busy"] })).toBe(false);
    expect(await over(60_000, { installing: ["idle"], active: [] })).toBe(true);
  });

  it("ends when the last server answers, when the signal aborts, and for one server when it answers", async () => {
    const { refresh, open, settled } = setUp(["a", "b"]);
    refresh.start();
    const [all, one] = [refresh.whenSettled(60_000), refresh.whenSettled(60_000, { server: "a" })];
    const stop = new AbortController();
    const stopped = refresh.whenSettled(60_000, { signal: stop.signal });
    stop.abort();
    await stopped;
    open.get("a")?.answer();
    await one;
    await settled();
    expect(await isOver(all)).toBe(false);
    open.get("b")?.fail();
    await all;
    await refresh.close();
  });

  it("also waits for queued servers", async () => {
    const { refresh, open, settled } = setUp(["a", "b", "c", "d", "e"]);
    refresh.start();
    const all = refresh.whenSettled(60_000);
    for (const name of ["a", "b", "c", "d"]) open.get(name)?.answer();
    await settled();
    expect(await isOver(all)).toBe(false);
    open.get("e")?.answer();
    await all;
    await refresh.close();
  });

  it("reports the progress of each server", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const { refresh, clock } = setUp(names, { installing: ["b"] });
    refresh.start();
    clock.elapsed += 12_000;
    expect(refresh.starts().map(({ name, phase, forMs }) => [name, phase, forMs])).toEqual([
      ["a", "starting", 12_000],
      ["b", "installing", 12_000],
      ["c", "starting", 12_000],
      ["d", "starting", 12_000],
      ["e", "queued", 0],
    ]);
    await refresh.close();
  });
});
