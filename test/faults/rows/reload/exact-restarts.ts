// Changes of the policy, rules, descriptions and one server's variables: only that server is restarted.
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import { openReloading, type ReloadingGateway } from "../../support/reloading-gateway.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const SERVERS = ["one", "two", "three"] as const;
type Server = (typeof SERVERS)[number];

/** The parts of the configuration as counters that changes increment. */
interface State {
  readonly about: Record<Server, number>;
  readonly env: Record<Server, number>;
  rules: number;
  policy: number;
  limits: number;
}

const CHANGES = ["about", "env", "rules", "policy", "limits"] as const;

/** `count`: the number of changes. */
export async function exactRestarts({ count, seed, dist }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  return await inHome(async (home) => {
    const none = { one: 0, two: 0, three: 0 };
    const state: State = { about: { ...none }, env: { ...none }, rules: 0, policy: 0, limits: 0 };
    const gateway = await openReloading(home, dist, toConfig(home, state));
    const violations: string[] = [];
    let before = await processes(home, gateway, 0);
    let restarts = 0;
    const changed: Record<string, number> = {};
    for (let round = 1; round <= count; round += 1) {
      const change = random.pick(CHANGES);
      const server = random.pick(SERVERS);
      if (change === "about" || change === "env") state[change][server] += 1;
      else state[change] += 1;
      changed[change] = (changed[change] ?? 0) + 1;
      await gateway.reload(toConfig(home, state));
      const after = await processes(home, gateway, round);
      const others = SERVERS.filter((name) => after[name] !== before[name]);
      const wanted = change === "env" ? [server] : [];
      restarts += others.length;
      if (others.join() !== wanted.join())
        violations.push(`round ${round}, ${change} of ${server}: restarted ${others.join()}`);
      before = after;
    }
    await gateway.close();
    return {
      title: "configuration changes without a restart",
      n: count,
      injected: count,
      violations,
      figures: { ...changed, restarts },
    };
  });
}

function toConfig(home: FaultHome, { about, env, rules, policy, limits }: State): object {
  const server = (name: Server): object => ({
    ...home.stdio(name),
    description: `About ${about[name]}.`,
    env: { GENERATION: String(env[name]) },
  });
  return {
    servers: Object.fromEntries(SERVERS.map((name) => [name, server(name)])),
    toolRules: [{ pattern: `never-${rules}`, enabled: false }],
    policy: { scopes: [{ tools: "*:erase", required_scopes: [`s${policy}`] }] },
    upstreams: { concurrency: 16 + limits },
  };
}

/** The process id that answers for each server. */
async function processes(home: FaultHome, gateway: ReloadingGateway, round: number): Promise<Record<Server, number>> {
  const pids = await Promise.all(
    SERVERS.map(async (server) => {
      const id = `look-${round}-${server}`;
      await gateway.execute({ server, tool: "read", arguments: { id } });
      return [server, home.ledger.of(id, "call")[0]?.pid ?? 0] as const;
    }),
  );
  return Object.fromEntries(pids) as Record<Server, number>;
}
