// A gateway exits at a random moment while npx installs a server: the installation finishes, plain npx works afterwards,
// and no process is left.
import { processesWith } from "../../../support/gateway.js";
import { HELD_PACKAGE, type NpxPlace, openNpxPlace } from "../../../support/npx-place.js";
import { waitFor } from "../../support/deadline.js";
import { openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const ENDS = ["SIGKILL", "SIGTERM", "SIGINT", "close"] as const;
/** The approximate duration of an installation from a registry on loopback. */
const MAX_LIFE_MS = 1_500;
const HELD_SHARE = 0.5;

/** `count`: how many gateways exit during an installation. */
export async function installers({ count, dist, seed, onProgress }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const violations: string[] = [];
  const ends = new Map<string, number>();
  for (let number = 0; number < count; number += 1) {
    const end = random.pick(ENDS);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    const place = await openNpxPlace();
    try {
      violations.push(...(await endDuring(place, end, dist, random)).map((what) => `${number} (${end}): ${what}`));
    } finally {
      await place.remove();
    }
    onProgress?.(`${number + 1} of ${count}`);
  }
  return {
    title: "gateways that exit while npx installs a server",
    n: count,
    injected: count,
    violations,
    figures: Object.fromEntries(ENDS.map((end) => [`ended by ${end}`, ends.get(end) ?? 0])),
  };
}

async function endDuring(place: NpxPlace, end: (typeof ENDS)[number], dist: string, random: Random): Promise<string[]> {
  if (random.chance(HELD_SHARE)) place.registry.hold(HELD_PACKAGE);
  return await inHome(async (home) => {
    home.configure({ npx: place.server(...(random.chance(0.2) ? ["--stubborn"] : [])) });
    const gateway = await openGateway(home, { dist });
    await new Promise((resolve) => setTimeout(resolve, random.between(0, MAX_LIFE_MS)));
    if (end === "close") await gateway.close();
    else gateway.signal(end);
    await gateway.gone;
    place.registry.release();
    const isOver = (): boolean => processesWith(place.name).length === 0;
    const found: string[] = [];
    await waitFor(isOver, "end of the installation").catch((error: unknown) => found.push(String(error)));
    const answer = await place.tryPlainNpx();
    if (!answer.startsWith("hello, world")) found.push(`plain npx: ${answer.slice(0, 300)}`);
    await waitFor(isOver, "end of plain npx").catch((error: unknown) => found.push(String(error)));
    return found;
  });
}
