import type { PinnedText, PinStore, ServerKey, StoredPin } from "./pin-store.js";

export type InheritPins = (heir: ServerKey, now: number) => Promise<void>;

/**
 * A server that is seen for the first time may be a renamed one. With the same connection under another name, approved tools
 * stay approved and no others; with another connection under the same name, unapproved tools stay unapproved. Otherwise
 * renaming a server would approve all its definitions.
 */
export function createPinInheritance(pins: PinStore): InheritPins {
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
  // The last entry wins: the name that was used last has the latest approvals.
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
  // The order matters: tools that were never approved must not become trusted as new ones.
  await bequeath(approved, true);
  await bequeath(never, false);
}

function usedAt({ changedAt, approvedAt = 0 }: StoredPin): number {
  return Math.max(changedAt, approvedAt);
}
