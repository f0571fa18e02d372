// The command of a server has to download it first: calls fail with an error that says so, and the single start
// continues until it is done.
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { waitFor } from "../../support/deadline.js";
import { type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { livingOf, quickServer, readQuickLog } from "../../support/quick-servers.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeTime, timed } from "../../support/timing.js";

/** From this duration on, the limits are the defaults; a shorter start uses shorter limits in the same order. */
const REAL_SECONDS = 45;
const GATE_MS = 50;
const PING_EVERY_MS = 100;
const SHORT_SECONDS = 2;
const SHORT_WAIT_MS = 300;
const SHORT_LIMITS = {
  startTimeoutMs: 1000,
  probeTimeoutMs: 500,
  installTimeoutMs: 60_000,
  startWaitMs: SHORT_WAIT_MS,
};

/** `count`: seconds that the start takes. */
export async function coldStart({ count, dist }: RowOptions): Promise<RowResult> {
  const known = await inHome((home) => startCold(home, dist, { seconds: count, isKnown: true }));
  const unknown = await inHome((home) => startCold(home, dist, { seconds: SHORT_SECONDS, isKnown: false }));
  const violations = [...known.violations, ...unknown.violations];
  if (known.starts !== 1) violations.push(`${known.starts} starts of a server with known tools`);
  // Its tools are listed first, over a connection that is closed right after.
  if (unknown.starts > 2) violations.push(`${unknown.starts} starts of a server that was never listed`);
  const late = { of: "delay of the starting error after the wait", ms: known.lateMs, gateMs: GATE_MS };
  const judged = judgeTime({ ...late, control: known.pingMs });
  violations.push(...judged.violations);
  return {
    title: "a server that starts slowly",
    n: known.reported + unknown.reported + 2,
    injected: 2,
    violations,
    gates: [judged.gate],
    figures: {
      "start duration, seconds": count,
      limits: count >= REAL_SECONDS ? "by default" : "shortened",
      "starting errors": known.reported,
      starts: known.starts,
      "starts of a server without a stored list": unknown.starts,
    },
    times: { of: "delay of the starting error after the wait", ms: known.lateMs },
  };
}

interface Cold {
  readonly seconds: number;
  /** Its tools are in the catalog from an earlier, faster start. */
  readonly isKnown: boolean;
}

async function startCold(home: FaultHome, dist: string, { seconds, isKnown }: Cold) {
  const isReal = seconds >= REAL_SECONDS;
  const cold = home.path("cold");
  const { args } = quickServer(home, "cold");
  const script = `[ -e "${cold}" ] && echo "start fetch $$" >> "${home.folder}/quick.log" && sleep ${seconds}\nexec sh "$@"`;
  writeFileSync(home.path("npx"), `#!/bin/sh\n${script}\n`);
  chmodSync(home.path("npx"), 0o700);
  writeFileSync(cold, "");
  home.configure({ cold: { command: home.path("npx"), args } }, isReal ? {} : { upstreams: SHORT_LIMITS });
  if (isKnown) rmSync(cold);
  const gateway = await openGateway(home, { dist });
  if (isKnown) {
    await gateway.request("tools/call", { name: "list_tools", arguments: { server: "cold" } });
    await waitFor(() => livingOf(home).length === 0, "end of the connection that listed");
    writeFileSync(cold, "");
  }
  const pings = pingMeanwhile(gateway);
  const found = await callUntilReady(gateway, { seconds, waitMs: isReal ? 10_000 : SHORT_WAIT_MS });
  const pingMs = await pings.stop();
  await gateway.close();
  const starts = readQuickLog(home).filter(({ name }) => name === "fetch").length;
  return { ...found, pingMs, starts };
}

/** The time of the smallest request to the gateway, measured continuously. */
function pingMeanwhile(gateway: Gateway): { stop: () => Promise<number[]> } {
  const state = { isOver: false };
  const run = async (): Promise<number[]> => {
    const found: number[] = [];
    while (!state.isOver) {
      found.push((await timed(() => gateway.request("ping", {}))).ms);
      await new Promise((resolve) => setTimeout(resolve, PING_EVERY_MS));
    }
    return found;
  };
  const running = run();
  return {
    stop: () => {
      state.isOver = true;
      return running;
    },
  };
}

async function callUntilReady(gateway: Gateway, { seconds, waitMs }: { seconds: number; waitMs: number }) {
  const violations: string[] = [];
  const lateMs: number[] = [];
  const deadline = performance.now() + seconds * 2000 + 20_000;
  while (performance.now() < deadline) {
    const { value, ms } = await timed(() => gateway.execute({ server: "cold", tool: "who", arguments: {} }));
    if (value.kind === "answer") return { violations, lateMs, reported: lateMs.length };
    if (!isReported(value))
      return { violations: [`a call ended in ${toWords(value)}`], lateMs, reported: lateMs.length };
    lateMs.push(Math.max(ms - waitMs, 0));
  }
  return { violations: ["the server was never ready"], lateMs, reported: lateMs.length };
}

/** The error says that the server is starting, that nothing was executed, and what to do next. */
const isReported = (outcome: Outcome): boolean =>
  outcome.kind === "error" &&
  outcome.code === "UPSTREAM_STARTING" &&
  outcome.executed === "no" &&
  typeof outcome.error["hint"] === "string";

const toWords = (outcome: Outcome): string =>
  outcome.kind === "error" ? `${describe(outcome)}: ${String(outcome.error["message"])}` : describe(outcome);
