// Every notation of a private address, in every input that can contain an address: the gateway opens no connection.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { internalAddressForms } from "../../../rest/internal-address-forms.js";
import { type HostileWorld, openWorld } from "../../support/hostile-world.js";
import { ENTRIES, type Entry, STOCK } from "../../support/address-inputs.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

/** The official SDK is tried only with forms of the loopback address: the others wait for unreachable hosts. */
const HERE = /^(127\.|0\.0\.0\.0$|localhost\.?$|\[::1\]$|\[::\]$|\[::ffff:7f)/;

/** `count`: how many forms are tried in each place; all of them if there are no more. */
export async function internalAddresses({ count, seed, dist: _dist, onProgress }: RowOptions): Promise<RowResult> {
  const world = await openWorld();
  const connected: string[] = [];
  const watch = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.once("connect", () => {
      if (socket.remotePort !== world.port) connected.push(`${socket.remoteAddress}:${socket.remotePort}`);
    });
  };
  try {
    const forms = createRandom(seed).shuffle(internalAddressForms(world.trap.port));
    const tried = forms.slice(0, count);
    const violations: string[] = [];
    subscribe("net.client.socket", watch);
    for (const [name, entry] of Object.entries(ENTRIES)) {
      for (const form of tried) violations.push(...(await judge(world, { name, entry, form, connected })));
      onProgress?.(`${name}: ${tried.length} forms`);
    }
    unsubscribe("net.client.socket", watch);
    const ours = world.trap.knocks();
    const n = tried.length * Object.keys(ENTRIES).length;
    return {
      title: "private addresses",
      n,
      injected: n,
      violations,
      figures: { forms: tried.length, entries: Object.keys(ENTRIES).length, connections: connected.length + ours },
      stock: await tryStock(world, tried),
    };
  } finally {
    unsubscribe("net.client.socket", watch);
    world.stop();
  }
}

interface Trial {
  readonly name: string;
  readonly entry: Entry;
  readonly form: string;
  readonly connected: readonly string[];
}

async function judge(world: HostileWorld, { name, entry, form, connected }: Trial): Promise<string[]> {
  const before = connected.length + world.trap.knocks();
  const asked = await outcomeOf(entry(world, form));
  const knocked = connected.length + world.trap.knocks() - before;
  const found = knocked > 0 ? [`${form} by ${name}: ${knocked} connections`] : [];
  return asked === "taken" ? [...found, `${form} by ${name} was accepted`] : found;
}

function outcomeOf(work: Promise<unknown>): Promise<"taken" | "refused"> {
  return work.then(
    () => "taken",
    () => "refused",
  );
}

async function tryStock(world: HostileWorld, forms: readonly string[]): Promise<Record<string, number>> {
  const here = forms.filter((form) => URL.canParse(form) && HERE.test(new URL(form).hostname));
  const found: Record<string, number> = { forms: here.length };
  for (const [name, entry] of Object.entries(STOCK)) {
    let reached = 0;
    for (const form of here) {
      const before = world.trap.knocks();
      await Promise.resolve()
        .then(() => entry(world, form))
        .catch(() => undefined);
      if (world.trap.knocks() > before) reached += 1;
    }
    found[`connected by ${name}`] = reached;
  }
  return found;
}
