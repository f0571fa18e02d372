// Servers are added, removed and changed, or lose a tool, while 200 calls are in flight and other clients keep listing
// tools.
import { writeFileSync } from "node:fs";
import { descendantsOf } from "../../support/census.js";
import { waitFor } from "../../support/deadline.js";
import type { Json, Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { openReloading, type ReloadingGateway } from "../../support/reloading-gateway.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const IN_FLIGHT = 200;
const HOLDERS = ["first", "second"] as const;
const READERS = 4;

/** `count`: the number of reloads. */
export async function reloadInFlight({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const gateway = await openReloading(home, dist, toConfig(home, 0));
    const gate = home.path("gate");
    for (const server of [...HOLDERS, "turn"])
      await gateway.execute({ server, tool: "read", arguments: { id: "warm" } });
    const held = Array.from({ length: IN_FLIGHT }, (_, number) =>
      hold(gateway, HOLDERS[number % 2]!, { id: `held-${number}`, gate }),
    );
    await waitFor(() => held.every(({ id }) => home.ledger.of(id, "effect").length === 1), "200 calls in flight");
    const readers = startReaders(gateway);
    const times: number[] = [];
    const violations: string[] = [];
    const turns: Held[] = [];
    for (let round = 1; round <= count; round += 1) {
      turns.push(hold(gateway, "turn", { id: `turn-${round - 1}`, gate }));
      await home.ledger.waitFor(`turn-${round - 1}`, "effect");
      const from = performance.now();
      await gateway.reload(toConfig(home, round));
      times.push(performance.now() - from);
      violations.push(...(await judgeRound(gateway, round)));
      if (round % 10 === 0) onProgress?.(`${round} of ${count} reloads`);
    }
    const reads = await readers.stop();
    writeFileSync(gate, "");
    for (const one of [...held, ...turns]) violations.push(...judgeHeld(home, one.id, await one.outcome));
    violations.push(...judgeTurns(home, turns), ...reads.violations);
    // The reaper, the server with the held calls and the current server.
    const isSettled = (): boolean => descendantsOf(gateway.pid).length <= HOLDERS.length + 2;
    await waitFor(isSettled, "end of the servers that were replaced", 20_000).catch((error: Error) =>
      violations.push(error.message),
    );
    await gateway.close();
    return {
      title: "reloads with 200 calls in flight",
      n: held.length + turns.length + reads.count,
      injected: count,
      violations,
      figures: {
        "calls in flight": held.length,
        "calls of servers that were replaced": turns.length,
        reads: reads.count,
      },
      times: { of: "reloads", ms: times },
    };
  });
}

/** Two servers that are always added and removed together, one whose variable changes every time, and a tool that is disabled every other time. */
function toConfig(home: FaultHome, round: number): object {
  // The tools are known before the first list and stay the same.
  const tools = [{ name: "idempotent_effect", description: "Does something once per id." }];
  const fixed = (name: string): object => ({ ...home.stdio(name), tools });
  return {
    servers: {
      first: home.stdio("first"),
      second: home.stdio("second"),
      turn: { ...home.stdio("turn"), env: { GENERATION: String(round) } },
      [`left-${round}`]: fixed("left"),
      [`right-${round}`]: fixed("right"),
    },
    upstreams: { concurrency: IN_FLIGHT, queue: IN_FLIGHT },
    toolRules: round % 2 === 1 ? [{ pattern: "erase", enabled: false }] : [],
  };
}

interface Held {
  readonly id: string;
  readonly outcome: Promise<Outcome>;
}

function hold(gateway: ReloadingGateway, server: string, args: { id: string; gate: string }): Held {
  return { id: args.id, outcome: gateway.execute({ server, tool: "effect", arguments: args }) };
}

/** A removed server is gone everywhere, and an added one is available. */
async function judgeRound(gateway: ReloadingGateway, round: number): Promise<string[]> {
  const [names, gone, erased] = await Promise.all([
    gateway.servers(),
    gateway.execute({ server: `left-${round - 1}`, tool: "read", arguments: { id: "gone" } }),
    gateway.execute({ server: "first", tool: "erase", arguments: { id: "erase" } }),
  ]);
  const found: string[] = [];
  const wanted = ["first", "second", "turn", `left-${round}`, `right-${round}`];
  if (names.join() !== wanted.join()) found.push(`round ${round}: ${names.join()}`);
  if (gone.kind !== "error" || gone.code !== "SERVER_NOT_FOUND")
    found.push(`round ${round}: a removed server gave ${describe(gone)}`);
  const isDisabled = erased.kind === "error" && erased.code === "TOOL_DISABLED";
  if (isDisabled !== (round % 2 === 1)) found.push(`round ${round}: erase gave ${describe(erased)}`);
  return found;
}

/** A reader sees both servers of one generation, and never an older generation than one seen before its request. */
function startReaders(gateway: ReloadingGateway) {
  const violations: string[] = [];
  const over = new AbortController();
  let count = 0;
  let newest = 0;
  const look = async (tool: "list_mcp_servers" | "search_tools"): Promise<void> => {
    const atLeast = newest;
    const answer = await gateway.ask(
      tool,
      tool === "search_tools" ? { query: "something once per id", limit: 50 } : {},
    );
    const seen = generationsIn(answer);
    count += 1;
    if (new Set(seen).size > 1 || seen.length !== 2) violations.push(`${tool} listed the generations ${seen.join()}`);
    else if (Number(seen[0]) < atLeast) violations.push(`${tool} listed generation ${seen[0]} after ${atLeast}`);
    newest = Math.max(newest, ...seen.map(Number));
  };
  const read = async (_: unknown, index: number): Promise<void> => {
    while (!over.signal.aborted) await look(index % 2 === 0 ? "list_mcp_servers" : "search_tools");
  };
  const readers = Array.from({ length: READERS }, read);
  return {
    async stop() {
      over.abort();
      await Promise.all(readers);
      return { count, violations };
    },
  };
}

function generationsIn(answer: Json): string[] {
  const names = new Set(JSON.stringify(answer).match(/(?:left|right)-\d+/g) ?? []);
  return [...names].map((name) => name.split("-")[1] ?? "");
}

function judgeHeld({ ledger }: FaultHome, id: string, outcome: Outcome): string[] {
  const [effect, ...more] = ledger.of(id, "effect");
  if (outcome.kind !== "answer") return [`${id}: ${describe(outcome)}`];
  if (effect === undefined || more.length > 0) return [`${id}: ${more.length + 1} effects`];
  // On the connection on which it started.
  return ledger.of(id, "answer").every(({ pid }) => pid === effect.pid)
    ? []
    : [`${id} was answered by another process`];
}

/** Each of them ran in a process of its own generation. */
function judgeTurns({ ledger }: FaultHome, turns: readonly Held[]): string[] {
  const pids = turns.map(({ id }) => ledger.of(id, "effect")[0]?.pid);
  return new Set(pids).size === turns.length
    ? []
    : [`${turns.length} generations ran in ${new Set(pids).size} processes`];
}
