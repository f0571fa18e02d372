import { describe, expect, it } from "vitest";
import { createLimiter, type Limiter } from "./limiter.js";

function createTimers() {
  const timers = new Set<() => void>();
  return {
    schedule: (_delayMs: number, run: () => void) => {
      timers.add(run);
      return () => void timers.delete(run);
    },
    fire: () => [...timers].forEach((run) => run()),
    count: () => timers.size,
  };
}

function create(
  concurrency: number,
  queue: number,
  isShared = false,
): { limiter: Limiter; timers: ReturnType<typeof createTimers> } {
  const timers = createTimers();
  return {
    timers,
    limiter: createLimiter({
      server: "github",
      options: { concurrency, queue, queueWaitMs: 5_000 },
      schedule: timers.schedule,
      isShared: () => isShared,
    }),
  };
}

const tick = () => new Promise((resolve) => setImmediate(resolve, "later"));

describe("createLimiter", () => {
  it("admits calls up to the limit, and the others in order of arrival", async () => {
    const { limiter } = create(2, 10);
    const order: number[] = [];
    const [first, second] = [await limiter.acquire(), await limiter.acquire()];
    const third = limiter.acquire().then((place) => (order.push(3), place));
    const fourth = limiter.acquire().then((place) => (order.push(4), place));
    expect(limiter.waiting).toBe(2);
    first.release();
    const placeOfThird = await third;
    expect(order).toEqual([3]);
    second.release();
    const placeOfFourth = await fourth;
    expect(order).toEqual([3, 4]);
    placeOfThird.release();
    placeOfFourth.release();
    expect(await limiter.acquire()).toBeDefined();
  });

  it("rejects a call when the queue is full, and reports that nothing was sent", async () => {
    const { limiter } = create(1, 1);
    await limiter.acquire();
    void limiter.acquire();
    await expect(limiter.acquire()).rejects.toMatchObject({
      code: "OVERLOADED",
      executed: "no",
      server: "github",
      facts: { waiting: 1, retry_after_seconds: 5 },
    });
  });

  it("admits the caller with the fewest slots first, regardless of order", async () => {
    const { limiter } = create(2, 10);
    const order: string[] = [];
    const enter = (caller: string) => limiter.acquire(caller).then((place) => (order.push(caller), place));
    const first = await limiter.acquire("flooder");
    await limiter.acquire("flooder");
    const waiting = ["flooder", "flooder", "ann", "bob", "ann"].map(enter);
    first.release();
    const placeOfAnn = await waiting[2]!;
    placeOfAnn.release();
    (await waiting[3]!).release();
    (await waiting[4]!).release();
    (await waiting[0]!).release();
    await waiting[1];
    expect(order).toEqual(["ann", "bob", "ann", "flooder", "flooder"]);
  });

  it("removes a call of the caller with the most waiting calls from a full queue, but not for a caller with as many", async () => {
    const { limiter } = create(1, 3);
    await limiter.acquire("flooder");
    const flood = [1, 2, 3].map(() => limiter.acquire("flooder").catch((error: unknown) => error));
    const ann = limiter.acquire("ann").catch((error: unknown) => error);
    expect(await flood[2]).toMatchObject({ code: "OVERLOADED", executed: "no", facts: { waiting: 3 } });
    await expect(limiter.acquire("ann")).rejects.toMatchObject({ code: "OVERLOADED" });
    await expect(limiter.acquire("flooder")).rejects.toMatchObject({ code: "OVERLOADED" });
    await expect(Promise.race([ann, flood[1], Promise.resolve("both wait")])).resolves.toBe("both wait");
    expect(limiter.waiting).toBe(3);
  });

  it("rejects a call that waited too long and does not admit it later", async () => {
    const { limiter, timers } = create(1, 5);
    const place = await limiter.acquire();
    const waiting = limiter.acquire();
    timers.fire();
    await expect(waiting).rejects.toMatchObject({
      code: "OVERLOADED",
      message: "The call waited 5 s in the queue of github; nothing was sent.",
      facts: { retry_after_seconds: 5 },
    });
    expect(limiter.waiting).toBe(0);
    place.release();
    expect(await limiter.acquire()).toBeDefined();
  });

  it("removes a cancelled call from the queue", async () => {
    const { limiter, timers } = create(1, 5);
    const place = await limiter.acquire();
    const controller = new AbortController();
    const waiting = limiter.acquire("ann", controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "CANCELLED", executed: "no" });
    expect(timers.count()).toBe(0);
    place.release();
    expect(limiter.waiting).toBe(0);
  });

  it("rejects a call that was cancelled before it arrived", async () => {
    await expect(create(1, 1).limiter.acquire("ann", AbortSignal.abort())).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("counts a slot that is released twice once", async () => {
    const { limiter } = create(1, 0);
    const place = await limiter.acquire();
    place.release();
    place.release();
    await limiter.acquire();
    await expect(limiter.acquire()).rejects.toMatchObject({ code: "OVERLOADED" });
  });

  it("admits another call for a freed slot, and none after the slot was taken back", async () => {
    const { limiter } = create(1, 1);
    const first = await limiter.acquire();
    const second = limiter.acquire();
    const takeBack = [first.lend(), first.lend()];
    const other = await second;
    await expect(Promise.race([limiter.acquire(), Promise.resolve("waits")])).resolves.toBe("waits");
    for (const back of [...takeBack, ...takeBack]) back();
    other.release();
    expect(limiter.waiting).toBe(1);
    first.release();
    expect(limiter.waiting).toBe(0);
  });

  it("ends the freed state when the slot is released, and frees no slot that is not held", async () => {
    const { limiter } = create(1, 0);
    const first = await limiter.acquire();
    const takeBack = first.lend();
    first.release();
    takeBack();
    first.lend();
    await limiter.acquire();
    await expect(limiter.acquire()).rejects.toMatchObject({ code: "OVERLOADED" });
  });

  it("limits the number of freed slots", async () => {
    const { limiter } = create(1, 0);
    for (let lent = 0; lent < 256; lent++) (await limiter.acquire()).lend();
    (await limiter.acquire()).lend();
    await expect(limiter.acquire()).rejects.toMatchObject({ code: "OVERLOADED" });
  });

  it.each([
    [1, 1],
    [2, 1],
    [4, 3],
    [8, 6],
    [16, 12],
    [64, 48],
  ])("leaves one caller of a shared server with %i slots at most %i", async (concurrency, expected) => {
    const { limiter } = create(concurrency, 1_000, true);
    let running = 0;
    for (let count = 0; count < concurrency; count += 1) void limiter.acquire("flooder").then(() => (running += 1));
    await Promise.resolve();
    expect(limiter.waiting).toBe(concurrency - expected);
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toBe(expected);
  });

  it("admits a caller at once although another caller has asked for all slots", async () => {
    const { limiter } = create(16, 64, true);
    for (let count = 0; count < 64; count += 1) limiter.acquire("flooder").catch(() => undefined);
    const late = ["ann", "bob", "cem"].map((caller) => limiter.acquire(caller));
    expect(await Promise.race([Promise.all(late).then(() => "all run"), Promise.resolve().then(tick)])).toBe("all run");
  });

  it("gives the slots that others do not need back to a caller", async () => {
    const { limiter } = create(4, 64, true);
    const ann = await limiter.acquire("ann");
    let running = 0;
    for (let count = 0; count < 4; count += 1) void limiter.acquire("flooder").then(() => (running += 1));
    await tick();
    expect(running).toBe(2);
    ann.release();
    await tick();
    expect(running).toBe(3);
  });

  it("lets the only client of a server use all slots", async () => {
    const { limiter } = create(16, 0);
    for (let count = 0; count < 16; count += 1) await limiter.acquire("local");
    await expect(limiter.acquire("local")).rejects.toMatchObject({ code: "OVERLOADED" });
  });
});
