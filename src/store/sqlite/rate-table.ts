import type { RateRequest, RateTicket, RateWindows } from "../rate-windows.js";
import type { Database } from "./driver.js";
import type { StoreTable } from "./operations.js";

/** The number of slots in a window. All calls of one slot stop counting at the same time. */
const SLOTS = 10;
/** How often expired slots are deleted, including those of actors that make no further calls. */
const SWEEP_MS = 600_000;

const BUCKET = "bucket = :bucket AND actor = :actor AND window_ms = :windowMs";

interface Slot {
  readonly slot: number;
  readonly taken: number;
}

export function createRateTable(database: Database): StoreTable<RateWindows> {
  const counted = database.prepare(`SELECT slot, taken FROM rate_slots WHERE ${BUCKET} ORDER BY slot`);
  const add = database.prepare(`
    INSERT INTO rate_slots VALUES (:bucket, :actor, :windowMs, :slot, :count)
    ON CONFLICT DO UPDATE SET taken = taken + :count`);
  const subtract = database.prepare(`
    UPDATE rate_slots SET taken = taken - 1 WHERE ${BUCKET} AND slot = :slot AND taken > 0`);
  const drop = database.prepare(`DELETE FROM rate_slots WHERE ${BUCKET} AND slot = :slot`);

  const sweep = database.prepare(`DELETE FROM rate_slots WHERE (slot + ${SLOTS + 1}) * window_ms <= :now * ${SLOTS}`);
  let sweptAt: number | undefined;

  const sweepIfDue = (now: number): void => {
    if (sweptAt !== undefined && Math.abs(now - sweptAt) < SWEEP_MS) return;
    sweep.run({ now });
    sweptAt = now;
  };

  /**
   * Returns the slots that count now and deletes expired ones. Calls in future slots (the clock was set back) move to
   * the current slot.
   */
  const settle = (bucket: Omit<RateTicket, "slot">, slot: number): Slot[] => {
    const slots = counted.all(bucket) as unknown as Slot[];
    const future = slots.filter((each) => each.slot > slot);
    const expired = slots.filter((each) => each.slot < slot - SLOTS);
    for (const each of [...future, ...expired]) drop.run({ ...bucket, slot: each.slot });
    if (future.length > 0) add.run({ ...bucket, slot, count: countOf(future) });
    return future.length > 0
      ? settle(bucket, slot)
      : slots.filter((each) => each.slot >= slot - SLOTS && each.slot <= slot);
  };

  return {
    take({ bucket, actor, limit, windowMs, now }) {
      sweepIfDue(now);
      const key = { bucket, actor, windowMs };
      const slotMs = windowMs / SLOTS;
      const slot = Math.floor(now / slotMs);
      const slots = settle(key, slot);
      const taken = countOf(slots);
      if (taken >= limit) return { kind: "refused", retryAfterMs: retryAfter(slots, { limit, slotMs, now }) };
      add.run({ ...key, slot, count: 1 });
      return { kind: "taken", remaining: limit - taken - 1, ticket: { ...key, slot } };
    },
    peek({ bucket, actor, limit, windowMs, now }) {
      const slotMs = windowMs / SLOTS;
      const slot = Math.floor(now / slotMs);
      const known = counted.all({ bucket, actor, windowMs }) as unknown as Slot[];
      const slots = known
        .filter((each) => each.slot >= slot - SLOTS)
        .map(({ slot: at, taken }) => ({ slot: Math.min(at, slot), taken }));
      const taken = countOf(slots);
      if (taken >= limit) return { kind: "refused", retryAfterMs: retryAfter(slots, { limit, slotMs, now }) };
      return { kind: "free", remaining: limit - taken };
    },
    giveBack({ bucket, actor, windowMs, slot }) {
      subtract.run({ bucket, actor, windowMs, slot });
    },
  };
}

function countOf(slots: readonly Slot[]): number {
  return slots.reduce((sum, { taken }) => sum + taken, 0);
}

/** Milliseconds until enough of the oldest slots have left the window to allow one more call. */
function retryAfter(
  slots: readonly Slot[],
  { limit, slotMs, now }: Pick<RateRequest, "limit" | "now"> & { slotMs: number },
): number {
  let taken = countOf(slots);
  for (const each of slots) {
    taken -= each.taken;
    if (taken < limit) return Math.max(1, Math.ceil((each.slot + SLOTS + 1) * slotMs - now));
  }
  return Math.ceil((SLOTS + 1) * slotMs);
}
