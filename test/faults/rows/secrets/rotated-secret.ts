// A secret changes in a file while calls run: processes and connections use the new value within seconds, and no call
// fails.
import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { openPlainRemote, type PlainRemote } from "../../support/plain-remote.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, givenOf, plainTool, scripted } from "../../support/scripted.js";
import { judgeTime } from "../../support/timing.js";

/** After this time no call may use the old secret. */
const LIMIT_MS = 5000;
/** The load continues for this long afterwards. */
const AFTER_MS = 1000;
const CALLERS = 4;

interface Use {
  readonly server: string;
  readonly secret: string;
  readonly from: number;
}

/** `count`: how often the secret changes. */
export async function rotatedSecret({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const remote = await openRemote();
    home.configure({
      process: { ...scripted(home, "process", { tools: [plainTool("given")] }), env: { TOKEN: "${ROTATED}" } },
      remote: { url: remote.url, headers: { authorization: "Bearer ${ROTATED}" } },
    });
    const rotate = (round: number): void =>
      writeFileSync(home.path(".env"), `ROTATED=secret-${round}\n`, { mode: 0o600 });
    rotate(0);
    const gateway = await openGateway(home, { dist });
    const uses: Use[] = [];
    const violations: string[] = [];
    const load = startLoad(gateway, { uses, violations });
    const ms: number[] = [];
    let stale = 0;
    for (let round = 1; round <= count; round += 1) {
      await pause(AFTER_MS);
      rotate(round);
      const at = performance.now();
      await pause(LIMIT_MS + AFTER_MS);
      const wanted = `secret-${round}`;
      for (const server of ["process", "remote"]) {
        const mine = uses.filter((use) => use.server === server && use.from >= at);
        const first = mine.find(({ secret }) => secret === wanted);
        if (first === undefined) violations.push(`${server} never gets the new secret of round ${round}`);
        else ms.push(first.from - at);
        stale += mine.filter(({ secret, from }) => secret !== wanted && from > at + LIMIT_MS).length;
      }
      onProgress?.(`${round} of ${count} changes`);
    }
    await load.stop();
    await gateway.close();
    remote.close();
    if (stale > 0) violations.push(`${stale} calls use the old secret ${LIMIT_MS} ms after it changed`);
    const { gate } = judgeTime({
      of: "from the change to the first use of the new secret",
      ms,
      gateMs: LIMIT_MS,
      control: [],
    });
    return {
      title: "a secret that changes under load",
      n: uses.length,
      injected: count,
      violations,
      gates: [gate],
      figures: { calls: uses.length, "stale uses after 5 s": stale },
      times: { of: "from the change of the file until the first call with the new secret begins", ms },
    };
  });
}

interface Received {
  readonly uses: Use[];
  readonly violations: string[];
}

function startLoad(gateway: Gateway, { uses, violations }: Received) {
  const over = new AbortController();
  const call = async (server: string): Promise<void> => {
    while (!over.signal.aborted) {
      const from = performance.now();
      const outcome = await gateway.execute({ server, tool: "given", arguments: {} });
      const secret = givenOf(outcome)?.env["TOKEN"];
      if (secret === undefined) violations.push(`a call of ${server} ends in ${endingOf(outcome)}`);
      else uses.push({ server, secret, from });
      await pause(20);
    }
  };
  const callers = ["process", "remote"].flatMap((server) => Array.from({ length: CALLERS }, () => call(server)));
  return {
    async stop() {
      over.abort();
      await Promise.all(callers);
    },
  };
}

/** Answers every call with the credentials that it received, in the format of the other server. */
const openRemote = (): Promise<PlainRemote> =>
  openPlainRemote({
    tool: plainTool("given"),
    answer: ({ headers }) => JSON.stringify({ env: { TOKEN: (headers.authorization ?? "").replace("Bearer ", "") } }),
  });
