// Calls are cancelled in every way: the server gets a cancellation with its own request id, and no other call is
// affected.
import {
  type HeldCall,
  type BeginCall,
  openCallSession,
  statelessCaller,
  stdioCaller,
} from "../../support/cancellable-calls.js";
import { waitFor } from "../../support/deadline.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { openStdioWire, type StdioWire, toLine } from "../../support/stdio-wire.js";
import { round } from "../../support/measure.js";
import { judgeTime, timed } from "../../support/timing.js";
import { openNotes, type WireNote, wireServer } from "../../support/wire-notes.js";

const SERVERS = ["one", "two"];
const FRESH = ["fresh1", "fresh2", "fresh3", "fresh4"];
/** From one gateway to one server: fewer than may be in flight. */
const AT_ONCE = 6;
const STAY_SHARE = 0.25;
const GATE_MS = 100;
/** A notification that takes longer than this counts as lost. */
const WORD_LIMIT_MS = 10_000;
const PLACES = 16;
const QUEUED = 8;

/** `count`: how many calls are cancelled while their server holds them. */
export async function cancels({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const all = [...SERVERS, ...FRESH, "full"];
    const servers = Object.fromEntries(all.map((name) => [name, wireServer(home, name)]));
    home.configure(servers, { http: { tokens: [tokenEntry("ann")] }, upstreams: { queueWaitMs: 60_000 } });
    const wire = await openStdioWire(home, { dist });
    const { url } = await openServedGateway(home, { dist });
    const caller = { url, token: tokenOf("ann") };
    const session = await openCallSession(caller);
    const onStdio = stdioCaller(wire);
    const callers: BeginCall[] = [onStdio, statelessCaller(caller), session.begin];
    const watch = createWatch(home);
    const random = createRandom(seed);
    const times: number[] = [];
    const control: number[] = [];
    let wave = 0;
    // If a server misses a cancellation, everything that follows would time out.
    const isSound = (): boolean => watch.violations.length === 0;
    while (times.length < count && isSound()) {
      const calls = beginWave(callers, wave, random);
      await watch.held(calls);
      control.push((await timed(() => askQuick(wire, wave))).ms);
      const [stay, leave] = divide(calls, random);
      times.push(...(await watch.cancel(random.shuffle(leave))));
      await cancelNothing(wire, wave);
      times.push(...(await watch.cancel(stay)));
      wave += 1;
      if (wave % 10 === 0) onProgress?.(`${times.length} of ${count} calls cancelled`);
    }
    const hungUp = isSound() ? await hangUp(session, watch, random) : 0;
    const queued = isSound() ? await cancelQueued(onStdio, watch) : 0;
    const starting = isSound() ? await cancelStarting(wire, onStdio) : 0;
    await wire.close();
    const given = times.length + hungUp + queued + starting;
    const judged = judgeTime({
      of: "from the cancellation to its arrival at the server",
      ms: times,
      gateMs: GATE_MS,
      control,
    });
    return {
      title: "cancelled calls",
      n: given,
      injected: given,
      violations: [...watch.violations, ...watch.strays(), ...judged.violations],
      gates: [judged.gate],
      figures: {
        "cancelled while running": times.length,
        "disconnected in a session, not cancelled": hungUp,
        "cancelled in the queue, never sent": queued,
        "cancelled while the server starts": starting,
        "cancellations of the wrong call": watch.strays().length,
        "other call, max ms": round(Math.max(...control)),
      },
      times: { of: "from the cancellation to its arrival at the server", ms: times },
    };
  });
}

function beginWave(callers: readonly BeginCall[], wave: number, random: Random): HeldCall[] {
  const wanted = callers.flatMap((begin, which) =>
    SERVERS.flatMap((server) => Array.from({ length: AT_ONCE / 2 }, (_, index) => ({ begin, which, server, index }))),
  );
  return random
    .shuffle(wanted)
    .map(({ begin, which, server, index }) => begin(`${wave} ${which} ${server} ${index}`, server));
}

function divide(calls: readonly HeldCall[], random: Random): [stay: HeldCall[], leave: HeldCall[]] {
  const stay = calls.filter(() => random.chance(STAY_SHARE));
  return [stay, calls.filter((call) => !stay.includes(call))];
}

async function askQuick(wire: StdioWire, wave: number): Promise<void> {
  const params = { name: "execute_tool", arguments: { server: "one", tool: "quick", arguments: {} } };
  await wire.ask(`quick ${wave}`, toLine({ id: `quick ${wave}`, method: "tools/call", params }));
}

/** Ids that are finished, unknown or invalid. */
async function cancelNothing(wire: StdioWire, wave: number): Promise<void> {
  for (const requestId of [`quick ${wave}`, "hello", "nobody", -1, "0", 1e9]) {
    await wire.write(toLine({ method: "notifications/cancelled", params: { requestId } }));
  }
}

/** A disconnecting client does not cancel the calls of its session. The next cancellation shows that none was pending. */
async function hangUp(
  session: Awaited<ReturnType<typeof openCallSession>>,
  watch: Watch,
  random: Random,
): Promise<number> {
  const calls = SERVERS.map((server) => session.begin(`hung up ${server}`, server));
  await watch.held(calls);
  session.hangUp();
  const other = SERVERS.map((server) => session.begin(`other ${server}`, server));
  await watch.held(other);
  await watch.cancel(random.shuffle(other));
  watch.violations.push(
    ...calls.filter(({ marker }) => watch.isCancelled(marker)).map(({ marker }) => `${marker} was cancelled`),
  );
  await watch.cancel(calls);
  return calls.length;
}

/** All slots are taken; the queued calls are cancelled, then slots become free. */
async function cancelQueued(begin: BeginCall, watch: Watch): Promise<number> {
  const holding = Array.from({ length: PLACES }, (_, index) => begin(`place ${index}`, "full"));
  await watch.held(holding);
  const waiting = Array.from({ length: QUEUED }, (_, index) => begin(`queued ${index}`, "full"));
  for (const call of waiting) await call.cancel();
  await watch.cancel(holding);
  const last = [begin("after all", "full")];
  await watch.held(last);
  await watch.cancel(last);
  watch.violations.push(
    ...waiting.filter(({ marker }) => watch.isHeld(marker)).map(({ marker }) => `${marker} was sent`),
  );
  return waiting.length;
}

/** No caller may cancel the handshake with a server. */
async function cancelStarting(wire: StdioWire, begin: BeginCall): Promise<number> {
  for (const server of FRESH) await begin(`starting ${server}`, server).cancel();
  for (const server of FRESH) {
    const params = { name: "execute_tool", arguments: { server, tool: "quick", arguments: {} } };
    await wire.ask(`after ${server}`, toLine({ id: `after ${server}`, method: "tools/call", params }));
  }
  return FRESH.length;
}

type Watch = ReturnType<typeof createWatch>;

function createWatch(home: FaultHome) {
  const read = openNotes(home);
  const cancelledAt = new Map<string, bigint>();
  const violations: string[] = [];
  const find = (kind: WireNote["kind"], marker: string): WireNote | undefined =>
    read().find((note) => note.kind === kind && note.marker === marker);
  const has = (kind: WireNote["kind"], calls: readonly HeldCall[]): boolean => {
    const markers = new Set(read().flatMap((note) => (note.kind === kind ? [note.marker] : [])));
    return calls.every(({ marker }) => markers.has(marker));
  };
  return {
    violations,
    isHeld: (marker: string): boolean => find("held", marker) !== undefined,
    isCancelled: (marker: string): boolean => find("cancelled", marker) !== undefined,
    held: async (calls: readonly HeldCall[]): Promise<void> =>
      void (await waitFor(() => has("held", calls), "report of the servers that they hold all calls")),
    /** Cancels all calls one after the other; returns the milliseconds until each server received the cancellation. */
    async cancel(calls: readonly HeldCall[]): Promise<number[]> {
      for (const call of calls) {
        cancelledAt.set(call.marker, process.hrtime.bigint());
        await call.cancel();
      }
      await waitFor(
        () => has("cancelled", calls),
        "report of the servers that all calls are cancelled",
        WORD_LIMIT_MS,
      ).catch((error: Error) =>
        violations.push(
          `${error.message} ${calls
            .filter((call) => !has("cancelled", [call]))
            .map(({ how }) => how)
            .join()}`,
        ),
      );
      const notes = new Map(read().flatMap((note) => (note.kind === "cancelled" ? [[note.marker, note]] : [])));
      return calls.flatMap(({ marker }) => {
        const atNs = notes.get(marker)?.atNs;
        return atNs === undefined ? [] : [Number(BigInt(atNs) - cancelledAt.get(marker)!) / 1e6];
      });
    },
    /** Cancellations of calls that were not cancelled, twice, of unknown calls, or at another server. */
    strays(): string[] {
      const seen = new Set<string>();
      const held = new Map(read().flatMap((note) => (note.kind === "held" ? [[note.marker, note]] : [])));
      return read()
        .filter(({ kind }) => kind === "cancelled")
        .flatMap(({ marker, id, server, pid }) => {
          const own = held.get(marker);
          const isRight =
            marker !== null && cancelledAt.has(marker) && own?.pid === pid && own.id === id && !seen.has(marker);
          if (marker !== null) seen.add(marker);
          return isRight ? [] : [`${server} received a cancellation of ${id} (${marker})`];
        });
    },
  };
}
