// One of 100 servers is broken, in one way after another: the other servers are available as soon as they are without
// it.
import { testServer } from "../../../support/gateway.js";
import { waitFor } from "../../support/deadline.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import type { Gate, RowOptions, RowResult } from "../../support/row.js";
import { endingOf, listServers, plainTool, scripted } from "../../support/scripted.js";
import { judgeFigure } from "../../support/timing.js";

const LIMIT_MS = 90_000;
/** One of four start slots is occupied for at most the start time limit; a longer delay has another cause. */
const MAX_TIMES_CONTROL = 1.25;
/** The highest allowed ratio to the time without a broken server, on an idle machine. */
const GATE = 1.1;
const START_TIMEOUT_MS = 2000;

const BROKEN: Readonly<Record<string, object>> = {
  "is missing": { command: "no-such-command-anywhere" },
  "exits at once": testServer("faulty.mjs", "exit-now"),
  "never answers": testServer("faulty.mjs", "hang-init"),
  "prints invalid output": testServer("faulty.mjs", "garbage"),
  "has an address where nothing listens": { url: "http://127.0.0.1:1/mcp" },
};

/** `count`: the number of servers. */
export async function badServer({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  const control = await inHome((home) => start(home, { dist, count }));
  const violations = [...control.violations];
  const times = [];
  const gates: Gate[] = [];
  for (const [fault, broken] of Object.entries(BROKEN)) {
    onProgress?.(`one of ${count} ${fault}`);
    const found = await inHome((home) => start(home, { dist, count, broken }));
    violations.push(...found.violations.map((violation) => `with one that ${fault}, ${violation}`));
    const judged = judgeFigure({
      of: `until all other servers are available, with one that ${fault}`,
      seen: found.readyMs,
      max: control.readyMs * GATE,
      beyond: control.readyMs * MAX_TIMES_CONTROL + START_TIMEOUT_MS,
      unit: "ms",
    });
    violations.push(...judged.violations);
    gates.push(judged.gate);
    times.push(found);
  }
  return {
    title: `one broken server among ${count}`,
    n: times.length * (count - 1),
    injected: times.length,
    violations,
    gates,
    figures: {
      "all available, none broken, ms": Math.round(control.readyMs),
      "all available, one broken, slowest, ms": Math.round(Math.max(...times.map(({ readyMs }) => readyMs))),
      "handshake, none broken, ms": Math.round(control.handshakeMs),
      "handshake, one broken, slowest, ms": Math.round(Math.max(...times.map(({ handshakeMs }) => handshakeMs))),
    },
    times: { of: "from the start until all other servers are available", ms: times.map(({ readyMs }) => readyMs) },
  };
}

interface Start {
  readonly dist: string;
  readonly count: number;
  readonly broken?: object;
}

async function start(home: FaultHome, { dist, count, broken }: Start) {
  const good = scripted(home, "good", { tools: [plainTool("one"), plainTool("two")] });
  const goodNames = Array.from({ length: broken === undefined ? count : count - 1 }, (_, n) => `good${n}`);
  const servers = Object.fromEntries(goodNames.map((name): [string, object] => [name, good]));
  // The broken server comes first, where it delays other servers most.
  home.configure(broken === undefined ? servers : { broken, ...servers }, {
    upstreams: { startTimeoutMs: START_TIMEOUT_MS },
  });
  const from = performance.now();
  const gateway = await openGateway(home, { dist });
  const handshakeMs = performance.now() - from;
  const isKnown = async (): Promise<boolean> =>
    (await listServers(gateway)).filter(({ toolCount }) => toolCount === 2).length === goodNames.length;
  await waitFor(isKnown, "list of all servers", LIMIT_MS);
  const readyMs = performance.now() - from;
  const violations = [...(await callAll(gateway, goodNames)), ...(broken === undefined ? [] : await lookAt(gateway))];
  await gateway.close();
  return { handshakeMs, readyMs, violations };
}

async function callAll(gateway: Gateway, names: readonly string[]): Promise<string[]> {
  const some = names.filter((_, n) => n % Math.ceil(names.length / 10) === 0);
  const endings = await Promise.all(
    some.map(async (server) => endingOf(await gateway.execute({ server, tool: "one", arguments: {} }))),
  );
  return endings.flatMap((ending, n) => (ending === "answer" ? [] : [`a call of ${some[n]} ends in ${ending}`]));
}

async function lookAt(gateway: Gateway): Promise<string[]> {
  const shown = await waitFor(
    async () => (await listServers(gateway)).find(({ name, status }) => name === "broken" && status === "error"),
    "broken server in the list",
    LIMIT_MS,
  );
  return (shown.reason ?? "").length > 10 ? [] : ["the broken server is listed without a reason"];
}
