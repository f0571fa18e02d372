import type { PinnedText, PinStore, ServerKey, StoredPin } from "./pin-store.js";

export type InheritPins = (server: ServerKey, now: number) => Promise<void>;

/**
 * Copies pins to a server that has none, because it may be a renamed or reconfigured server: all pins of servers with
 * the same connection, and the unapproved pins of servers with the same name. Without these pins, all its tools would
 * count as new, and `trustNew` would approve them.
 */
export function createPinInheritance(pins: PinStore): InheritPins {
  const done = new Set<string>();
  return async (server, now) => {
    const key = JSON.stringify([server.server, server.fingerprint]);
    if (done.has(key)) return;
    if ((await pins.list(server)).length === 0) await inherit(pins, server, now);
    done.add(key);
  };
}

async function inherit(pins: PinStore, { server, fingerprint }: ServerKey, now: number): Promise<void> {
  const related = [...(await pins.list({ fingerprint })), ...(await pins.list({ server, onlyChanged: true }))];
  // If a tool has several pins, the last one in this order is used: the server name that was used last has the latest
  // approvals.
  const ranked = related.sort((a, b) => usedAt(a) - usedAt(b) || Number(b.isApproved) - Number(a.isApproved));
  const chosen = [...new Map(ranked.map((pin) => [pin.tool, pin])).values()];
  const approved = chosen.flatMap((pin) => (pin.approved === undefined ? [] : [{ tool: pin.tool, ...pin.approved }]));
  const unapproved = chosen
    .filter((pin) => pin.approved === undefined)
    .map(({ tool, current }) => ({ tool, ...current }));
  const copy = async (definitions: readonly (PinnedText & { tool: string })[], trustNew: boolean): Promise<void> => {
    if (definitions.length > 0) await pins.see({ server, fingerprint, definitions, now, trustNew });
  };
  // The last argument is `trustNew`: with false, tools that were never approved stay unapproved.
  await copy(approved, true);
  await copy(unapproved, false);
}

function usedAt({ changedAt, approvedAt = 0 }: StoredPin): number {
  return Math.max(changedAt, approvedAt);
}
