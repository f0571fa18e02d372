// Each guarantee of idempotency keys, over stdio and HTTP.
import { readAudit } from "../../support/audit.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { KEY_CASES, type KeyCase, quarantineCase } from "../../support/key-cases.js";
import { toId } from "../../support/plan.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const SERVERS = ["stdio", "http"] as const;
const WORKERS = 2;

/** `count`: how often every case runs, alternating between stdio and HTTP. */
export async function idempotencyCases({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  const violations: string[] = [];
  let n = 0;
  for (let round = 0; round < count; round += 1) {
    await inHome(async (home) => {
      const servers = { stdio: home.stdio("stdio"), http: await home.http("http") };
      home.configure(servers);
      const usual = [await openGateway(home, { dist }), await openGateway(home, { dist })];
      const run = async (name: string, server: string, check: KeyCase): Promise<void> => {
        n += 1;
        const found = await runCase(check, { home, servers, server, dist, usual }, toId(`${name} ${server}`));
        violations.push(...found.map((problem) => `${name}, ${server}: ${problem}`));
      };
      // Two at a time, because most of them wait for a process to start.
      const cases = Object.entries(KEY_CASES).map(([name, check], place) => ({ name, check, place }));
      const runSome = async (worker: number): Promise<void> => {
        for (const { name, check, place } of cases) {
          const server = SERVERS[(place + round) % SERVERS.length]!;
          if (place % WORKERS === worker) await run(name, server, check);
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, (_, worker) => runSome(worker)));
      violations.push(...(await readAudit(home, dist)).violations);
      await run("I16 a tool that changed", "stdio", quarantineCase);
      for (const gateway of usual) await gateway.close();
    });
    onProgress?.(`${round + 1} of ${count} rounds`);
  }
  return { title: "each guarantee of idempotency keys", n, injected: n, violations, figures: {} };
}

interface Scenery {
  readonly home: FaultHome;
  readonly servers: Record<string, object>;
  readonly server: string;
  readonly dist: string;
  /** Gateways whose configuration contains only servers. */
  readonly usual: readonly Gateway[];
}

async function runCase(check: KeyCase, scenery: Scenery, id: string): Promise<string[]> {
  const { home, servers, server, dist, usual } = scenery;
  const opened: Gateway[] = [];
  let turn = 0;
  const open = async (sections?: object, more: object = {}): Promise<Gateway> => {
    if (sections === undefined) return usual[turn++ % usual.length]!;
    const config = home.configure({ ...servers, ...more }, sections, `config-${id}-${opened.length}.json`);
    const gateway = await openGateway(home, { dist, config });
    opened.push(gateway);
    return gateway;
  };
  try {
    return await check({ home, server, open }, id);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    await Promise.all(opened.map((gateway) => gateway.close()));
  }
}
