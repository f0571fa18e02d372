import type { AuditEntry } from "./audit.js";
import type { Outcome } from "./gateway.js";
import type { FaultHome } from "./home.js";
import { describe, toAnswer } from "./replay.js";

/** One request of a client and its outcome. */
export interface Attempt {
  readonly number: number;
  /** The marker of the effect; every call with one key has the same. */
  readonly id: string;
  readonly isIdempotent: boolean;
  readonly outcome: Outcome;
}

export interface Histories {
  readonly home: FaultHome;
  readonly attempts: readonly Attempt[];
  readonly audit: readonly AuditEntry[];
  /** Gateways were killed: a client may have received no answer. */
  readonly mayDie?: boolean;
}

/** Codes that are a defect whatever happens at a server. */
const DEFECTS: ReadonlySet<string> = new Set(["INTERNAL_ERROR", "AUDIT_UNAVAILABLE", "CONFIGURATION_ERROR"]);

/** All contradictions between the attempts, the ledger and the audit log. */
export function findViolations(histories: Histories): string[] {
  const byId = new Map<string, Attempt[]>();
  for (const attempt of histories.attempts) byId.set(attempt.id, [...(byId.get(attempt.id) ?? []), attempt]);
  return [
    ...histories.attempts.flatMap((attempt) => judgeAttempt(attempt, histories)),
    ...[...byId].flatMap(([id, attempts]) => judgeKey(id, attempts, histories.home)),
    ...judgeAudit(histories),
  ];
}

function judgeAttempt(attempt: Attempt, { home, mayDie = false }: Histories): string[] {
  const { number, id, outcome } = attempt;
  const at = `${id}, attempt ${number}`;
  if (outcome.kind === "died") return mayDie ? [] : [`${at}: the gateway exited`];
  if (outcome.kind === "refused") return [`${at}: ${describe(outcome)}`];
  if (outcome.kind !== "error") return [];
  if (DEFECTS.has(outcome.code)) return [`${at}: ${describe(outcome)}: ${JSON.stringify(outcome.error)}`];
  if (!["no", "yes", "unknown"].includes(outcome.executed)) return [`${at}: executed is ${outcome.executed}`];
  const effects = home.ledger.of(id, "effect");
  // Another call with the same key may have had the effect, and its outcome may be replayed.
  const isDone = attempt.isIdempotent ? home.ledger.isMarked(id) : effects.length > 0;
  const isOwn = effects.some((effect) => effect.attempt === number);
  if (outcome.executed === "no" && isOwn) return [`${at}: it ran, but the client got ${describe(outcome)}`];
  return outcome.executed === "yes" && !isDone ? [`${at}: nothing ran, but the client got ${describe(outcome)}`] : [];
}

function judgeKey(id: string, attempts: readonly Attempt[], { ledger }: FaultHome): string[] {
  const isIdempotent = attempts[0]?.isIdempotent === true;
  const calls = ledger.of(id, "call").length;
  const effects = ledger.of(id, "effect").length;
  const answers = attempts.flatMap(({ outcome }) => (outcome.kind === "answer" ? [toAnswer(outcome.result)] : []));
  const given = ledger.of(id, "answer").map(({ result }) => result);
  const found: string[] = [];
  if (effects > 1) found.push(`${id}: ${effects} effects`);
  if (calls > 1 && !isIdempotent) found.push(`${id}: sent ${calls} times`);
  if (answers.length === 0) return found;
  if (isIdempotent ? !ledger.isMarked(id) : effects !== 1) found.push(`${id}: answered, with ${effects} effects`);
  if (new Set(answers.map(({ text }) => text)).size > 1) found.push(`${id}: its answers differ`);
  if (!given.includes(answers[0]?.text)) found.push(`${id}: its answer is not the server's`);
  if (answers.filter(({ replayOf }) => replayOf === undefined).length > 1) {
    found.push(`${id}: answered more than once as if for the first time`);
  }
  return found;
}

/** Every answer to a client has an audit record, and every sent call has an intent. */
function judgeAudit({ attempts, audit, home }: Histories): string[] {
  const outcomes = new Map(audit.filter(({ kind }) => kind === "outcome").map((record) => [record.request_id, record]));
  const found: string[] = [];
  let first = 0;
  for (const { id, number, outcome } of attempts) {
    if (outcome.kind === "error") {
      const requestId = String(outcome.error["request_id"]);
      if (!outcomes.has(requestId)) found.push(`${id}, attempt ${number}: ${outcome.code} has no audit record`);
    }
    if (outcome.kind !== "answer") continue;
    const { replayOf } = toAnswer(outcome.result);
    if (replayOf === undefined) first += 1;
    else if (outcomes.get(replayOf)?.["outcome"] !== "ok") {
      found.push(`${id}, attempt ${number}: the replayed request ${replayOf} has no completed audit record`);
    }
  }
  const done = [...outcomes.values()].filter(
    (record) => record["outcome"] === "ok" && record["replayed_from"] === undefined,
  );
  if (done.length < first) found.push(`audit: ${first} answers, but ${done.length} completed records`);
  const intents = audit.filter(({ kind }) => kind === "intent").length;
  const sent = home.ledger.entries().filter(({ kind, tool }) => kind === "call" && tool !== "read").length;
  if (intents < sent) found.push(`audit: ${sent} calls were sent, but ${intents} intents were recorded`);
  return found;
}

/** The number of attempts by outcome. */
export function countEndings(attempts: readonly Attempt[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of attempts) {
    const isReplay = outcome.kind === "answer" && toAnswer(outcome.result).replayOf !== undefined;
    const ending = outcome.kind === "error" ? outcome.code : isReplay ? "replay" : outcome.kind;
    counts[ending] = (counts[ending] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort(([one], [other]) => one.localeCompare(other)));
}
