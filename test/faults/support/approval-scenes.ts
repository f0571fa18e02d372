// A user has approved one call. It runs once, and no other call does.
import { decideInStore } from "./approve.js";
import type { Execution, Gateway, Json, Outcome } from "./gateway.js";
import type { FaultHome } from "./home.js";
import { describe } from "./replay.js";

export interface Stage {
  readonly home: FaultHome;
  readonly gateways: readonly Gateway[];
  readonly server: string;
  readonly otherServer: string;
  /** How a user approves. */
  readonly approve: (id: string) => Promise<void>;
}

export interface SceneResult {
  readonly attempts: number;
  readonly violations: readonly string[];
}

export type Scene = (stage: Stage, id: string) => Promise<SceneResult>;

const PARALLEL = 100;

function toCall(server: string, id: string, more: Json = {}): Execution {
  return { server, tool: "destroy", arguments: { id, to: "alice", all: false, ...more } };
}

async function ask({ gateways }: Stage, execution: Execution): Promise<string> {
  const outcome = await gateways[0]!.execute(execution);
  if (outcome.kind === "error" && outcome.code === "CONFIRMATION_REQUIRED") return String(outcome.error["approval_id"]);
  throw new Error(`A call that needs approval ended in ${describe(outcome)}.`);
}

/** Checks that the tool has run exactly this often, and that the calls without approval were rejected. */
function judge({ home }: Stage, id: string, expected: { effects: number; refused?: readonly Outcome[] }): string[] {
  const found: string[] = [];
  const effects = home.ledger.of(id, "effect").length;
  if (effects !== expected.effects) found.push(`${id}: ${effects} executions for ${expected.effects} allowed`);
  for (const outcome of expected.refused ?? []) {
    const isRefused = outcome.kind === "error" && ["CONFIRMATION_REQUIRED", "POLICY_DENIED"].includes(outcome.code);
    if (!isRefused) found.push(`${id}: a call without approval ended in ${describe(outcome)}`);
  }
  return found;
}

export const SCENES: Readonly<Record<string, Scene>> = {
  "other calls than the approved one": async (stage, id) => {
    const { gateways, server, otherServer } = stage;
    const call = toCall(server, id);
    await stage.approve(await ask(stage, call));
    const others: Execution[] = [
      toCall(server, id, { to: "bob" }),
      toCall(server, id, { all: true }),
      toCall(server, id, { more: 1 }),
      toCall(server, id, { to: "alice " }),
      { server, tool: "destroy", arguments: { id, to: "alice" } },
      { ...call, tool: "erase" },
      { ...call, server: otherServer },
    ];
    const refused = await Promise.all(
      others.map((one, index) => gateways[index % gateways.length]!.execute({ ...one, options: { confirmed: true } })),
    );
    const before = judge(stage, id, { effects: 0, refused });
    // A different order of members is the same call.
    const reordered = { ...call, arguments: { all: false, to: "alice", id } };
    const ran = await gateways.at(-1)!.execute(reordered);
    const again = [
      await gateways[0]!.execute(call),
      await gateways[0]!.execute({ ...call, options: { confirmed: true } }),
    ];
    const problems = ran.kind === "answer" ? [] : [`${id}: the approved call ended in ${describe(ran)}`];
    return {
      attempts: others.length + again.length,
      violations: [...before, ...problems, ...judge(stage, id, { effects: 1, refused: again })],
    };
  },

  "concurrent calls": async (stage, id) => {
    const { gateways, server } = stage;
    const call = toCall(server, id);
    await stage.approve(await ask(stage, call));
    const outcomes = await Promise.all(
      Array.from({ length: PARALLEL }, (_, index) => gateways[index % gateways.length]!.execute(call)),
    );
    const refused = outcomes.filter(({ kind }) => kind !== "answer");
    return { attempts: PARALLEL, violations: judge(stage, id, { effects: 1, refused }) };
  },

  "after the approval expired": async (stage, id) => {
    const call = toCall(stage.server, id);
    await decideInStore(stage.home, await ask(stage, call), { ttlMs: 1 });
    const refused = [await stage.gateways[0]!.execute({ ...call, options: { confirmed: true } })];
    return { attempts: 1, violations: judge(stage, id, { effects: 0, refused }) };
  },

  "after a denial": async (stage, id) => {
    const call = toCall(stage.server, id);
    await decideInStore(stage.home, await ask(stage, call), { kind: "denied" });
    const refused = await Promise.all(
      [{}, { confirmed: true }, { idempotency_key: `key-${id}` }].map((options) =>
        stage.gateways[0]!.execute({ ...call, options }),
      ),
    );
    return { attempts: refused.length, violations: judge(stage, id, { effects: 0, refused }) };
  },

  "with a key": async (stage, id) => {
    const [first, last] = [stage.gateways[0]!, stage.gateways.at(-1)!];
    const call = toCall(stage.server, id);
    const keyed = (key: string): Execution => ({ ...call, options: { idempotency_key: `${key}-${id}` } });
    await stage.approve(await ask(stage, call));
    const dry = await first.execute({ ...call, options: { dry_run: true } });
    const ran = await first.execute(keyed("one"));
    const replays = [await last.execute(keyed("one")), await first.execute(keyed("one"))];
    const refused = [await first.execute(keyed("two")), await last.execute(call)];
    const wrong = [dry, ran].filter(({ kind }) => kind !== "answer");
    const notReplayed = replays.filter((one) => describe(one) !== "a replay");
    const problems = [...wrong, ...notReplayed].map((one) => `${id}: with its approval ${describe(one)}`);
    return { attempts: 4, violations: [...problems, ...judge(stage, id, { effects: 1, refused })] };
  },
};
