import type { RateRequest, RateTicket, RateWindows } from "../rate-windows.js";
import type { Database } from "./driver.js";
import type { Table } from "./operations.js";

/** A window is counted in so many slots: what was taken in one leaves the count together. */
const SLOTS = 10;
/** So often what is over goes, of those too who never come again. */
const SWEEP_MS = 600_000;

const BUCKET = "bucket = :bucket AND actor = :actor AND window_ms = :windowMs";

interface Slot {
  readonly slot: number;
  readonly taken: number;
}

export function createRateTable(database: Database): Table<RateWindows> {
  const counted = database.prepare(`SELECT slot, taken FROM rate_slots WHERE ${BUCKET} ORDER BY slot`);
  const add = database.prepare(`
    INSERT INTO rate_slots VALUES (:bucket, :actor, :windowMs, :slot, :count)
    ON CONFLICT DO UPDATE SET taken = taken + :count`);
  const subtract = database.prepare(`
    UPDATE rate_slots SET taken = taken - 1 WHERE ${BUCKET} AND slot = :slot AND taken > 0`);
  const drop = database.prepare(`DELETE FROM rate_slots WHERE ${BUCKET} AND slot = :slot`);

  const sweep = database.prepare(`DELETE FROM rate_slots WHERE (slot + ${SLOTS + 1}) * window_ms <= :now * ${SLOTS}`);
  let sweptAt: number | undefined;

  const sweepSometimes = (now: number): void => {
    if (sweptAt !== undefined && Math.abs(now - sweptAt) < SWEEP_MS) return;
    sweep.run({ now });
    sweptAt = now;
  };

  /** The slots that count now. Those that are over go; what was taken in the future, before the clock was set back, counts now. */
  const settle = (place: Omit<RateTicket, "slot">, slot: number): Slot[] => {
    const slots = counted.all(place) as unknown as Slot[];
    const early = slots.filter((each) => each.slot > slot);
    const over = slots.filter((each) => each.slot < slot - SLOTS);
    for (const each of [...early, ...over]) drop.run({ ...place, slot: each.slot });
    if (early.length > 0) add.run({ ...place, slot, count: countOf(early) });
    return early.length > 0
      ? settle(place, slot)
      : slots.filter((each) => each.slot >= slot - SLOTS && each.slot <= slot);
  };

  return {
    take({ bucket, actor, limit, windowMs, now }) {
      sweepSometimes(now);
      const place = { bucket, actor, windowMs };
      const slotMs = windowMs / SLOTS;
      const slot = Math.floor(now / slotMs);
      const slots = settle(place, slot);
      const taken = countOf(slots);
      if (taken >= limit) return { kind: "refused", retryAfterMs: retryAfter(slots, { limit, slotMs, now }) };
      add.run({ ...place, slot, count: 1 });
      return { kind: "taken", remaining: limit - taken - 1, ticket: { ...place, slot } };
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

/** Until enough of the oldest slots have left the window that one more may be taken. */
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
