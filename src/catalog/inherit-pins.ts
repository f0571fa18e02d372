import type { PinnedText, PinStore, ServerKey, StoredPin } from "./pin-store.js";

export type InheritPins = (heir: ServerKey, now: number) => Promise<void>;

/**
 * A server that is seen for the first time may be an old one: under another name, what was approved of the same
 * connection stays approved and nothing else becomes so; with another connection, what was not approved of the same name
 * stays unapproved. Else renaming a server would approve whatever it says by then.
 */
export function createInheritance(pins: PinStore): InheritPins {
  const done = new Set<string>();
  return async (heir, now) => {
    const key = JSON.stringify([heir.server, heir.fingerprint]);
    if (done.has(key)) return;
    if ((await pins.list(heir)).length === 0) await inherit(pins, heir, now);
    done.add(key);
  };
}

async function inherit(pins: PinStore, { server, fingerprint }: ServerKey, now: number): Promise<void> {
  const related = [...(await pins.list({ fingerprint })), ...(await pins.list({ server, onlyChanged: true }))];
  // Of several the last one stays: the name that was used last knows what was approved last.
  const ranked = related.sort((a, b) => usedAt(a) - usedAt(b) || Number(b.isApproved) - Number(a.isApproved));
  const chosen = [...new Map(ranked.map((pin) => [pin.tool, pin])).values()];
  const approved = chosen.flatMap((pin) => (pin.approved === undefined ? [] : [{ tool: pin.tool, ...pin.approved }]));
  const never = chosen.filter((pin) => pin.approved === undefined).map(({ tool, current }) => ({ tool, ...current }));
  const bequeath = async (
    definitions: readonly (PinnedText & { tool: string })[],
    trustNew: boolean,
  ): Promise<void> => {
    if (definitions.length > 0) await pins.see({ server, fingerprint, definitions, now, trustNew });
  };
  // In this order: what was never approved is not trusted either when it is seen as new.
  await bequeath(approved, true);
  await bequeath(never, false);
}

function usedAt({ changedAt, approvedAt = 0 }: StoredPin): number {
  return Math.max(changedAt, approvedAt);
}
