// Thousands of sessions, most of which clients abandon without closing them: the sessions expire and leave no resources
// behind.
import { type LoadGateway, openLoadGateway, toTokens } from "../../support/load-gateway.js";
import { takeCensus } from "../../support/census.js";
import { seldom, waitFor } from "../../support/deadline.js";
import { inHome } from "../../support/home.js";
import { type Inside, lookInside, makeTransparent } from "../../support/inside.js";
import { stdioLoad } from "../../support/load-servers.js";
import { inMiB, round } from "../../support/measure.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const AT_ONCE = 16;
const MAX_SESSIONS = 1000;
const IDLE_MS = 1000;
const PARTING_SHARE = 0.01;
/** Memory that a gateway keeps after its first thousands of sessions stays in use: caches, code, pools. */
const WARM_SHARE = 0.2;
const MAX_KIB_EACH = 1;
/** Normal variation of the heap: a tenth of the small counts of `npm test`. */
const NOISE_KIB = 512;
const LOOK_EVERY_MS = 300;
const REVISION = "2025-11-25";

/** `count`: how many sessions are measured, after a warm-up. */
export async function abandonedSessions({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    makeTransparent(home);
    const http = { port: 0, tokens: toTokens(), sessions: { most: MAX_SESSIONS, idleMs: IDLE_MS } };
    home.configure({ one: stdioLoad(home, "one") }, { http });
    const gateway = await openLoadGateway(home, { dist });
    const settle = (): Promise<Inside> => settled(() => lookInside(home, gateway.pid));
    const violations: string[] = [];
    const warm = Math.max(Math.round(count * WARM_SHARE), 200);
    await live(gateway, { random, violations, count: warm });
    const before = { ...(await settle()), ...takeCensus(gateway.pid) };
    const from = performance.now();
    const abandoned = await live(gateway, { random, violations, count, onProgress });
    const seconds = (performance.now() - from) / 1000;
    const after = { ...(await settle()), ...takeCensus(gateway.pid) };
    await gateway.close();
    const kibEach = (after.heapUsed - before.heapUsed) / 1024 / count;
    if ((after.heapUsed - before.heapUsed) / 1024 > count * MAX_KIB_EACH + NOISE_KIB) {
      violations.push(`${round(kibEach, 2)} KiB of heap per session are not released`);
    }
    const sockets = after.descriptors - before.descriptors;
    if (sockets > AT_ONCE) violations.push(`${sockets} descriptors are not released`);
    return {
      title: "abandoned HTTP sessions",
      n: count,
      injected: abandoned,
      violations,
      figures: {
        "KiB of heap kept per session": round(kibEach, 3),
        "heap before and after, MiB": `${inMiB(before.heapUsed)}, ${inMiB(after.heapUsed)}`,
        "resident before and after, MiB": `${inMiB(before.rss)}, ${inMiB(after.rss)}`,
        "descriptors before and after": `${before.descriptors}, ${after.descriptors}`,
        "sessions per second": Math.round(count / seconds),
      },
    };
  });
}

interface Lives {
  readonly random: Random;
  readonly violations: string[];
  readonly count: number;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** How many sessions were abandoned. */
async function live(gateway: LoadGateway, { random, violations, count, onProgress }: Lives): Promise<number> {
  let begun = 0;
  let abandoned = 0;
  const work = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      if (begun % 5000 === 0) onProgress?.(`${begun} of ${count} sessions`);
      const isParting = random.chance(PARTING_SHARE);
      const problem = await liveOnce(gateway, isParting);
      if (problem !== undefined) violations.push(problem);
      if (!isParting) abandoned += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return abandoned;
}

/** Opens a session, sends one request and disappears; a few close the session. */
async function liveOnce(gateway: LoadGateway, isParting: boolean): Promise<string | undefined> {
  const clientInfo = { name: "faults", version: "1.0.0" };
  const params = { protocolVersion: REVISION, capabilities: {}, clientInfo };
  const opening = await gateway.post("/mcp", { jsonrpc: "2.0", id: 0, method: "initialize", params });
  const id = opening.headers["mcp-session-id"];
  if (opening.status !== 200 || typeof id !== "string")
    return `a session could not be opened: ${opening.status} ${opening.text}`;
  const headers = { "mcp-session-id": id, "mcp-protocol-version": REVISION };
  const listed = await gateway.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, { headers });
  if (isParting) await gateway.end("/mcp", headers);
  return listed.status === 200 && listed.text.includes("execute_tool")
    ? undefined
    : `no list: ${listed.status} ${listed.text}`;
}

/** When all sessions have expired and the heap no longer shrinks. */
async function settled(look: () => Promise<Inside>): Promise<Inside> {
  const until = performance.now() + 3 * IDLE_MS;
  let least = await look();
  const isOver = async (): Promise<boolean> => {
    const next = await look();
    if (next.heapUsed < least.heapUsed) least = next;
    return performance.now() > until;
  };
  await waitFor(seldom(isOver, LOOK_EVERY_MS), "end of the sessions");
  return { ...(await look()), heapUsed: least.heapUsed };
}
