import type { PinnedText, PinStore, ServerKey, StoredPin } from "./pin-store.js";

export type InheritPins = (heir: ServerKey, now: number) => Promise<void>;

/** What there was when somebody first asked, without the texts. */
interface Estate {
  readonly fingerprints: ReadonlySet<string>;
  /** Of servers with pins that are not approved. */
  readonly doubted: ReadonlySet<string>;
}

/**
 * A server that is seen for the first time may be an old one: under another name, what was approved of the same
 * connection stays approved and nothing else becomes so; with another connection, what was not approved of the same name
 * stays unapproved. Else renaming a server would approve whatever it says by then.
 */
export function createInheritance(pins: PinStore): InheritPins {
  const done = new Set<string>();
  let estate: Promise<Estate> | undefined;
  const lookAround = (): Promise<Estate> => {
    estate ??= pins.list({}).then(toEstate);
    estate.catch(() => (estate = undefined));
    return estate;
  };
  const isHeir = async ({ server, fingerprint }: ServerKey): Promise<boolean> => {
    const own = await pins.list({ server });
    if (own.some((pin) => pin.fingerprint === fingerprint)) return false;
    const { fingerprints, doubted } = await lookAround();
    return fingerprints.has(fingerprint) || doubted.has(server);
  };

  return async (heir, now) => {
    const key = JSON.stringify([heir.server, heir.fingerprint]);
    if (done.has(key)) return;
    if (await isHeir(heir)) await inherit(pins, heir, now);
    done.add(key);
  };
}

function toEstate(all: readonly StoredPin[]): Estate {
  return {
    fingerprints: new Set(all.map(({ fingerprint }) => fingerprint)),
    doubted: new Set(all.filter(({ isApproved }) => !isApproved).map(({ server }) => server)),
  };
}

async function inherit(pins: PinStore, { server, fingerprint }: ServerKey, now: number): Promise<void> {
  const related = (await pins.list({})).filter(
    (pin) => pin.fingerprint === fingerprint || (pin.server === server && !pin.isApproved),
  );
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
