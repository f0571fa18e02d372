// Callers try to confirm their own calls in mode `human`, in every way that the protocol allows.
import { readAudit } from "../../support/audit.js";
import { type Scene, SCENES, type Stage } from "../../support/approval-scenes.js";
import { approveAtTerminal, decideInStore } from "../../support/approve.js";
import { type AskingClient, openAskedClient, openRoundsClient } from "../../support/asking-attacks.js";
import { ATTACKS } from "../../support/attacks.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { toId } from "../../support/plan.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const GATEWAYS = 2;
const SERVERS = ["stdio", "http"] as const;
/** Typing an answer is slow; for the other cases the approval is written directly into the store. */
const AT_TERMINAL = 2;

/** `count`: the minimum number of requests without an approval. */
export async function selfApproval({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure(
      { stdio: home.stdio("stdio"), http: await home.http("http") },
      { policy: { confirmation: { mode: "human" } }, upstreams: { queue: 200 } },
    );
    const random = createRandom(seed);
    const gateways: Gateway[] = [];
    for (let number = 0; number < GATEWAYS; number += 1) gateways.push(await openGateway(home, { dist }));
    for (const server of SERVERS)
      await gateways[0]!.execute({ server, tool: "read", arguments: { id: `warm-${server}` } });
    const clients = [await openAskedClient(home, dist, random), await openRoundsClient(home, dist, random)];
    const parts: Parts = { home, dist, gateways, clients, random };

    const scenes = await runScenes(parts);
    const violations = [...scenes.violations, ...(await runControl(dist))];
    const reported: Record<string, number> = {};
    let attempts = 0;
    for (let round = 0; attempts < count; round += 1) {
      const tried = await runAttacks(parts, round, reported);
      attempts += tried.attempts;
      violations.push(...tried.violations);
      onProgress?.(`${attempts} of ${count} attempts`);
    }
    for (const one of [...clients, ...gateways]) await one.close();
    violations.push(...(await readAudit(home, dist)).violations);
    const ran = home.ledger.entries().filter(({ kind, tool }) => kind === "effect" && tool !== "read").length;
    if (ran !== scenes.approvals) violations.push(`${ran} executions for ${scenes.approvals} used approvals`);
    return {
      title: "self-approval in mode human",
      n: attempts + scenes.attempts,
      injected: attempts + scenes.attempts,
      violations,
      figures: {
        ways: Object.keys(ATTACKS).length + clients.length + Object.keys(SCENES).length,
        approvals: scenes.approvals,
        executions: ran,
        ...reported,
      },
    };
  });
}

/** Where a caller may confirm its own call, the same attempt runs: the check of the ledger works. */
async function runControl(dist: string): Promise<string[]> {
  return await inHome(async (home) => {
    home.configure({ stdio: home.stdio("stdio") });
    const gateway = await openGateway(home, { dist });
    await ATTACKS["confirms when it is asked"]!({ gateway, server: "stdio", random: createRandom(1) }, "control");
    await gateway.close();
    const effects = home.ledger.of("control", "effect").length;
    return effects === 1 ? [] : [`the control ran ${effects} times in mode auto`];
  });
}

interface Parts {
  readonly home: FaultHome;
  readonly dist: string;
  readonly gateways: readonly Gateway[];
  readonly clients: readonly AskingClient[];
  readonly random: Random;
}

async function runScenes({ home, dist, gateways }: Parts) {
  const violations: string[] = [];
  let attempts = 0;
  let approvals = 0;
  const approve = async (id: string): Promise<void> => {
    if (approvals < AT_TERMINAL) await approveAtTerminal(home, dist, id);
    else await decideInStore(home, id);
    approvals += 1;
  };
  const list = SERVERS.flatMap((server) => Object.entries(SCENES).map(([name, scene]) => ({ server, name, scene })));
  for (const { server, name, scene } of list) {
    const otherServer = SERVERS.find((one) => one !== server) ?? server;
    const stage: Stage = { home, gateways, server, otherServer, approve };
    const result = await runScene(scene, stage, toId(`${name}-${server}`));
    attempts += result.attempts;
    violations.push(...result.violations);
  }
  return { attempts, violations, approvals };
}

async function runScene(scene: Scene, stage: Stage, id: string) {
  try {
    return await scene(stage, id);
  } catch (error) {
    return { attempts: 0, violations: [`${id}: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

/** Every way once. */
async function runAttacks(parts: Parts, round: number, reported: Record<string, number>) {
  const { home, gateways, clients, random } = parts;
  const violations: string[] = [];
  let attempts = 0;
  for (const [name, attack] of random.shuffle(Object.entries(ATTACKS))) {
    const id = toId(`${name}-${round}`);
    const outcomes = await attack({ gateway: random.pick(gateways), server: random.pick(SERVERS), random }, id);
    attempts += outcomes.length;
    for (const one of outcomes) {
      const word = one.kind === "error" ? one.code : one.kind;
      reported[word] = (reported[word] ?? 0) + 1;
    }
    const wrong = outcomes.filter(
      (one) => one.kind === "died" || (one.kind === "error" && one.code === "INTERNAL_ERROR"),
    );
    violations.push(...wrong.map((one) => `${id}: ${JSON.stringify(one)}`));
    violations.push(...expectNothing(home, id));
  }
  for (const [index, client] of clients.entries()) {
    const id = `client-${index}-${round}`;
    attempts += await client.attack(random.pick(SERVERS), id);
    violations.push(...expectNothing(home, id));
  }
  return { attempts, violations };
}

function expectNothing({ ledger }: FaultHome, id: string): string[] {
  const calls = ledger.of(id, "call").length;
  return calls === 0 ? [] : [`${id}: ran ${calls} times without approval by a user`];
}
