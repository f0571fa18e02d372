// The guarantees of idempotency keys, case by case: each returns its violations as sentences.
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { decideInStore } from "./approve.js";
import { waitFor } from "./deadline.js";
import type { Execution, Gateway, Json, Outcome } from "./gateway.js";
import type { FaultHome } from "./home.js";
import { describe, toAnswer } from "./replay.js";

export interface CaseParts {
  readonly home: FaultHome;
  readonly server: string;
  /** A gateway with these configuration sections, or with none, on the store that all cases share. */
  readonly open: (sections?: Json, servers?: Json) => Promise<Gateway>;
}

export type KeyCase = (parts: CaseParts, id: string) => Promise<string[]>;

function toCall(server: string, id: string, more: Json = {}): Execution {
  return { server, tool: "effect", arguments: { id, ...more }, options: { idempotency_key: `key-${id}` } };
}

const isError = (outcome: Outcome, code: string): boolean => outcome.kind === "error" && outcome.code === code;

function expect(what: string, outcome: Outcome, wanted: string): string[] {
  return describe(outcome).startsWith(wanted) ? [] : [`${what} ended in ${describe(outcome)} instead of ${wanted}`];
}

function expectLedger({ home }: CaseParts, id: string, calls: number): string[] {
  const made = home.ledger.of(id, "call").length;
  return made === calls ? [] : [`sent ${made} times instead of ${calls}`];
}

const REPEATS = 10;
const START_SECONDS = 30;

export const KEY_CASES: Readonly<Record<string, KeyCase>> = {
  "I1 the same call again": async (parts, id) => {
    const [one, other] = [await parts.open(), await parts.open()];
    const call = toCall(parts.server, id, { to: "alice", all: false });
    const first = await one.execute(call);
    const reordered = { ...call, arguments: { all: false, to: "alice", id } };
    const inMeta = { ...call, options: {}, meta: { "anygpt/idempotencyKey": `key-${id}` } };
    const again: Outcome[] = [];
    for (let time = 0; time < REPEATS; time += 1) {
      again.push(await (time % 2 ? one : other).execute([call, reordered, inMeta][time % 3]!));
    }
    const texts = new Set([first, ...again].map((each) => (each.kind === "answer" ? toAnswer(each.result).text : "")));
    const requests = new Set(
      again.map((each) => (each.kind === "answer" ? toAnswer(each.result).replayOf : undefined)),
    );
    return [
      ...expect("the first", first, "an answer"),
      ...again.flatMap((each) => expect("a repetition", each, "a replay")),
      ...(texts.size === 1 ? [] : ["the answers differ"]),
      ...(requests.size === 1 ? [] : ["the replays name several requests"]),
      ...expectLedger(parts, id, 1),
    ];
  },

  "I2 other arguments": async (parts, id) => {
    const gateway = await parts.open();
    const first = await gateway.execute(toCall(parts.server, id, { to: "alice" }));
    const changed: Json[] = [{ to: "bob" }, { to: "alice", all: true }, {}, { to: "Alice" }];
    const outcomes = await Promise.all(changed.map((more) => gateway.execute(toCall(parts.server, id, more))));
    return [
      ...expect("the first", first, "an answer"),
      ...outcomes.flatMap((outcome) => expect("other arguments", outcome, "IDEMPOTENCY_CONFLICT (executed no)")),
      ...expectLedger(parts, id, 1),
    ];
  },

  "I2 the key at another tool is another key": async (parts, id) => {
    const gateway = await parts.open();
    const first = await gateway.execute(toCall(parts.server, id));
    const other = await gateway.execute({ ...toCall(parts.server, id), tool: "read" });
    return [
      ...expect("the first", first, "an answer"),
      ...expect("the other tool", other, "an answer"),
      ...expectLedger(parts, id, 2),
    ];
  },

  "I5 wrong arguments leave the key free": async (parts, id) => {
    const gateway = await parts.open();
    const wrong = await gateway.execute(toCall(parts.server, id, { all: "yes" }));
    const right = await gateway.execute(toCall(parts.server, id));
    return [
      ...expect("the wrong call", wrong, "TOOL_VALIDATION_ERROR (executed no)"),
      ...expect("the right call", right, "an answer"),
      ...expectLedger(parts, id, 1),
    ];
  },

  "I5 a required confirmation leaves the key free": async (parts, id) => {
    const gateway = await parts.open({ policy: { confirmation: { mode: "human", from: "high" } } });
    const asked = await gateway.execute(toCall(parts.server, id, { to: "alice" }));
    const other = toCall(parts.server, id, { to: "bob" });
    const askedToo = await gateway.execute(other);
    if (askedToo.kind === "error") await decideInStore(parts.home, String(askedToo.error["approval_id"]));
    const ran = await gateway.execute(other);
    return [
      ...expect("the first", asked, "CONFIRMATION_REQUIRED (executed no)"),
      ...expect("the approved call", ran, "an answer"),
      ...expectLedger(parts, id, 1),
    ];
  },

  "I5 a rate limit leaves the key free": async (parts, id) => {
    const gateway = await parts.open({
      policy: {
        buckets: { [id]: { calls: 1, perSeconds: 3600 } },
        rateLimits: [{ tools: "effect", rate_limit_bucket: id }],
      },
    });
    const first = await gateway.execute(toCall(parts.server, `${id}-first`));
    const limited = await gateway.execute(toCall(parts.server, id, { to: "alice" }));
    const other = await gateway.execute(toCall(parts.server, id, { to: "bob" }));
    const later = await (await parts.open()).execute(toCall(parts.server, id, { to: "bob" }));
    return [
      ...expect("the first", first, "an answer"),
      ...expect("the second", limited, "RATE_LIMITED (executed no)"),
      ...expect("the third", other, "RATE_LIMITED (executed no)"),
      ...expect("later", later, "an answer"),
      ...expectLedger(parts, id, 1),
    ];
  },

  "I5 a server that cannot be started leaves the key free": async (parts, id) => {
    const program = parts.home.path(`${id}.sh`);
    const { command, args } = parts.home.stdio("late") as { command: string; args: string[] };
    const tools = [{ name: "effect", inputSchema: { type: "object" } }];
    const gateway = await parts.open({}, { late: { command: program, tools } });
    const call = toCall("late", id);
    const first = await gateway.execute(call);
    writeFileSync(program, `#!/bin/sh\nexec ${[command, ...args].map((word) => `'${word}'`).join(" ")}\n`);
    chmodSync(program, 0o755);
    const started = await waitFor(async () => {
      const outcome = await gateway.execute(call);
      return isError(outcome, "SERVER_CONNECTION_ERROR") ? undefined : outcome;
    }, "start of the repaired server");
    return [
      ...expect("the first", first, "SERVER_CONNECTION_ERROR (executed no)"),
      ...expect("the call of the repaired server", started, "an answer"),
      ...expectLedger(parts, id, 1),
    ];
  },

  "I5 a server that rejects the call leaves the key free": async (parts, id) => {
    const gateway = await parts.open();
    const call = toCall("http", id, { mode: "busy" });
    const first = await gateway.execute(call);
    const again = await gateway.execute(call);
    return [
      ...expect("the first", first, "SERVER_CONNECTION_ERROR (executed no)"),
      ...expect("the repetition", again, "an answer"),
      ...expectLedger(parts, id, 2),
    ];
  },

  "I5 an error of the tool is stored": async (parts, id) => {
    const gateway = await parts.open();
    const [one, two] = [
      toCall(parts.server, id, { mode: "tool_error" }),
      toCall(parts.server, `${id}-2`, { mode: "rpc_error" }),
    ];
    const reported = [await gateway.execute(one), await gateway.execute(one)];
    const refused = [await gateway.execute(two), await gateway.execute(two)];
    const isKept = reported.every((each) => each.kind === "answer" && each.result["isError"] === true);
    return [
      ...(isKept && describe(reported[1]!) === "a replay"
        ? []
        : [`the tool's error ended in ${reported.map(describe).join(", ")}`]),
      ...refused.flatMap((each) => expect("a refusal by the protocol", each, "TOOL_EXECUTION_ERROR (executed yes)")),
      ...expectLedger(parts, id, 1),
      // A validation error may come from the tool during its work: it is stored, too.
      ...expectLedger(parts, `${id}-2`, 1),
    ];
  },

  "I14 a call that crashed its server is not sent again": async (parts, id) => {
    const gateway = await parts.open();
    const call = toCall(parts.server, id, { mode: "crash_after" });
    const idempotent = { ...toCall(parts.server, `${id}-2`, { mode: "crash_after" }), tool: "idempotent_effect" };
    const first = await gateway.execute(call);
    const again = [await gateway.execute(call), await gateway.execute(call)];
    await gateway.execute(idempotent);
    const rerun = await gateway.execute(idempotent);
    return [
      ...expect("the first", first, "TOOL_EXECUTION_ERROR (executed unknown)"),
      ...again.flatMap((each) => expect("a repetition", each, "IDEMPOTENCY_OUTCOME_UNKNOWN")),
      ...expect("the idempotent one", rerun, "an answer"),
      ...expectLedger(parts, id, 1),
    ];
  },

  "I14 a call that timed out is not sent again": async (parts, id) => {
    const gateway = await parts.open({ execution: { timeoutMs: 300 } });
    const options = { timeout: START_SECONDS };
    // The server has started before the timeout begins.
    await gateway.execute({ server: parts.server, tool: "read", arguments: { id: `${id}-read` }, options });
    const call = toCall(parts.server, id, { mode: "hang" });
    const first = await gateway.execute(call);
    const again = await gateway.execute(call);
    return [
      ...expect("the first", first, "TOOL_EXECUTION_TIMEOUT (executed unknown)"),
      ...expect("the repetition", again, "IDEMPOTENCY_OUTCOME_UNKNOWN"),
      ...expectLedger(parts, id, 1),
    ];
  },

  "I15 a call that needs a key": async (parts, id) => {
    const gateway = await parts.open({ policy: { idempotency: { requiredFrom: { elsewhere: "high" } } } });
    const { options: _options, ...bare } = toCall(parts.server, id);
    const without = [await gateway.execute(bare), await gateway.execute({ ...bare, tool: "idempotent_effect" })];
    const harmless = await gateway.execute({ ...bare, tool: "read", arguments: { id: `${id}-read` } });
    const empty = await gateway.execute({ ...bare, options: { idempotency_key: "" } });
    const sent = expectLedger(parts, id, 0);
    const withKey = await gateway.execute(toCall(parts.server, id));
    return [
      ...without.flatMap((each) => expect("without a key", each, "IDEMPOTENCY_REQUIRED (executed no)")),
      ...expect("a harmless call", harmless, "an answer"),
      ...expect("an empty key", empty, "INVALID_REQUEST (executed no)"),
      ...expect("with a key", withKey, "an answer"),
      ...sent,
    ];
  },

  "I16 a caller without permission gets no replay": async (parts, id) => {
    const call = toCall(parts.server, id);
    const first = await (await parts.open()).execute(call);
    const poorer = await parts.open({
      policy: { localScopes: ["few"], scopes: [{ tools: "effect", required_scopes: ["more"] }] },
    });
    const ruled = await parts.open({ toolRules: [{ pattern: "effect", enabled: false }] });
    const outcomes = [await poorer.execute(call), await ruled.execute(call)];
    const isLeaked = outcomes.some((each) => JSON.stringify(each).includes(`done ${id}`));
    return [
      ...expect("the first", first, "an answer"),
      ...expect("without the scope", outcomes[0]!, "SCOPE_REQUIRED (executed no)"),
      ...expect("with the tool disabled", outcomes[1]!, "TOOL_DISABLED (executed no)"),
      ...(isLeaked ? ["the stored answer was disclosed"] : []),
      ...expectLedger(parts, id, 1),
    ];
  },

  "I18 a result that is too large to store": async (parts, id) => {
    const gateway = await parts.open();
    const call = toCall(parts.server, id, { bytes: 3_000_000 });
    const first = await gateway.execute(call);
    const again = await gateway.execute(call);
    const isSame =
      first.kind === "answer" && again.kind === "answer" && toAnswer(first.result).text === toAnswer(again.result).text;
    const isReported = again.kind === "error" && again.executed === "yes";
    return [
      ...expect("the first", first, "an answer"),
      ...(isSame || isReported ? [] : [`the repetition ended in ${describe(again)}`]),
      ...expectLedger(parts, id, 1),
    ];
  },

  "I18 an answer is encrypted in the store": async (parts, id) => {
    const gateway = await parts.open();
    const outcome = await gateway.execute(toCall(parts.server, id));
    const secret = `done ${id} as`;
    const files = ["store.db", "store.db-wal"]
      .map((name) => `${parts.home.state}/${name}`)
      .filter((file) => existsSync(file));
    const open = files.filter((file) => readFileSync(file).includes(secret));
    return [
      ...expect("the call", outcome, "an answer"),
      ...open.map((file) => `${file} contains the answer in plain text`),
    ];
  },
};

/** Separate from the others: it changes the definitions of all tools. */
export const quarantineCase: KeyCase = async (parts, id) => {
  const sections = { policy: { pinning: "enforce" }, cache: { ttl: 0 } };
  const call = toCall(parts.server, id);
  const first = await (await parts.open(sections)).execute(call);
  writeFileSync(parts.home.path("description.txt"), "Now with more.");
  const later = await parts.open(sections);
  const quarantined = await waitFor(async () => {
    const outcome = await later.execute(call);
    return describe(outcome) === "a replay" ? undefined : outcome;
  }, "list of the changed server");
  return [
    ...expect("the first", first, "an answer"),
    ...expect("with the tool changed", quarantined, "TOOL_QUARANTINED (executed no)"),
    ...(JSON.stringify(quarantined).includes(`done ${id}`) ? ["the stored answer was disclosed"] : []),
    ...expectLedger(parts, id, 1),
  ];
};
