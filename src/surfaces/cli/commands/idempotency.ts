import type { Stages } from "../../../compose.js";
import { DiscoveryError } from "../../../errors.js";
import type { JsonObject } from "../../../model/json.js";
import type { KeyRecord, KeyState } from "../../../store/key-records.js";
import type { Handler, Input } from "../command.js";
import {
  BAD,
  blocks,
  bold,
  count,
  dim,
  GOOD,
  line,
  type Line,
  type Styled,
  verbatim,
  WAITING,
  WARNING,
} from "../lines.js";
import { revealedName } from "../reveal.js";
import { withEngine } from "../session.js";
import { describeSpan } from "../time-words.js";
import { userName } from "./approve.js";

export const KEY_STATES: readonly KeyState[] = ["reserved", "dispatched", "completed", "failed", "unknown"];

export const listKeys: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const { idempotency, place } = await engine.stages();
    const state = KEY_STATES.find((one) => one === input.text("state"));
    const key = input.text("key");
    const found = await idempotency.list({
      ...(state === undefined ? {} : { state }),
      ...(key === undefined ? {} : { key }),
    });
    const isUnknown = (one: KeyRecord): boolean => one.state === "unknown";
    const records = [...found.filter(isUnknown), ...found.filter((one) => !isUnknown(one))];
    if (context.isJson) context.json({ keys: records.map(toListed) });
    else context.show(keysLines(records, place.now()));
    return 0;
  });

export const resolveKey: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const verdict = verdictOf(input);
    const { idempotency } = await engine.stages();
    const unknown = await findUnknown(input.argument("id-or-key"), idempotency);
    const settled = await idempotency.resolve(unknown.id, verdict, userName());
    if (settled === undefined) throw settledMeanwhile(unknown);
    if (context.isJson) context.json({ ...toListed(unknown), state: "resolved", resolved_as: verdict });
    else context.show(settledLines(unknown, verdict));
    return 0;
  });

type Verdict = "committed" | "not_committed";

function verdictOf(input: Input): Verdict {
  const isCommitted = input.flag("committed");
  if (isCommitted !== input.flag("notCommitted")) return isCommitted ? "committed" : "not_committed";
  const message = isCommitted
    ? "Both --committed and --not-committed were given."
    : "It was not said how the call ended.";
  throw new DiscoveryError("INVALID_REQUEST", message, {
    hint: "Give --committed when it ran, --not-committed when it did not; find that out first.",
  });
}

/** By its number, or by its key if no call has that number. Only calls whose outcome is unknown can be settled. */
async function findUnknown(word: string, idempotency: Stages["idempotency"]): Promise<KeyRecord> {
  const lists = [await idempotency.list({ state: "unknown" }), await idempotency.list({})];
  const numbered = lists.flat().find(({ id }) => String(id) === word);
  if (numbered?.state === "unknown") return numbered;
  if (numbered !== undefined) throw settledMeanwhile(numbered);
  const named = await idempotency.list({ key: word });
  const unknown = named.filter(({ state }) => state === "unknown");
  const [first] = unknown;
  if (first !== undefined && unknown.length === 1) return first;
  if (first !== undefined) {
    const numbers = unknown.map(({ id, scope }) => `${id} (${scope.tool})`).join(", ");
    throw new DiscoveryError("INVALID_REQUEST", `"${word}" stands for ${unknown.length} calls: ${numbers}.`, {
      hint: "Name one by its number.",
      facts: { ids: unknown.map(({ id }) => id) },
    });
  }
  const [known] = named;
  if (known !== undefined) throw settledMeanwhile(known);
  throw new DiscoveryError("INVALID_REQUEST", `No call is known by the number or key "${word}".`, {
    hint: "`anygpt mcp idempotency list` shows what is known; keys are forgotten when they expire.",
  });
}

function settledMeanwhile({ id, scope, state }: KeyRecord): DiscoveryError {
  const what = `The call ${id} of ${scope.tool}`;
  const message = state === "unknown" ? `${what} was settled by somebody else.` : `${what} ${STATES[state].words}.`;
  return new DiscoveryError("INVALID_REQUEST", message, {
    hint: "There is nothing to settle: only calls whose outcome is unknown can be.",
    facts: { id, state },
  });
}

const STATES: Readonly<Record<KeyState, { mark: Styled; words: string }>> = {
  reserved: { mark: WAITING, words: "is about to be sent" },
  dispatched: { mark: WAITING, words: "is running" },
  completed: { mark: GOOD, words: "has been answered" },
  failed: { mark: BAD, words: "ended with an error of the tool" },
  unknown: { mark: WARNING, words: "was sent, and nobody knows how it ended" },
};

function toListed({
  id,
  scope,
  state,
  requestId,
  reservedAt,
  changedAt,
  expiresAt,
  answerBytes,
}: KeyRecord): JsonObject {
  return {
    id,
    key: scope.key,
    tool: scope.tool,
    actor_id: scope.actor,
    state,
    request_id: requestId,
    reserved_at: time(reservedAt),
    changed_at: time(changedAt),
    expires_at: time(expiresAt),
    ...(answerBytes === undefined ? {} : { answer_bytes: answerBytes }),
  };
}

export function keysLines(records: readonly KeyRecord[], now: number): Line[] {
  const unknown = records.filter(({ state }) => state === "unknown");
  if (records.length === 0) return [line(0, "No such key is known. Keys are forgotten when they expire.")];
  return blocks([
    [line(0, bold(count(records.length, "idempotency key")), ":")],
    unknown.length === 0 ? [] : adviceLines(unknown),
    ...records.map((record) => keyLines(record, now)),
  ]);
}

function adviceLines(unknown: readonly KeyRecord[]): Line[] {
  const [first] = unknown;
  const isOne = unknown.length === 1;
  const lost = isOne
    ? `Call ${first?.id} was sent, and nobody knows how it`
    : `${unknown.length} calls were sent, and nobody knows how they`;
  const id = isOne ? String(first?.id) : "ID";
  return [
    line(0, WARNING, ` ${lost} ended. Find out what ${isOne ? "it has" : "each has"} done, then run`),
    verbatim(4, `anygpt mcp idempotency resolve ${id} --committed`),
    line(2, "if it ran, and"),
    verbatim(4, `anygpt mcp idempotency resolve ${id} --not-committed`),
    line(2, "if it did not: only then does the same call run again."),
  ];
}

function keyLines({ id, scope, state, requestId, reservedAt, expiresAt }: KeyRecord, now: number): Line[] {
  const { mark, words } = STATES[state];
  return [
    line(0, mark, " ", bold(`${id}`), ` ${revealedName(scope.tool)}, key ${revealedName(scope.key)}`),
    line(2, `${words}; begun ${describeSpan(now - reservedAt)} ago, forgotten in ${describeSpan(expiresAt - now)}`),
    line(2, dim(`request ${requestId} of ${revealedName(scope.actor)}`)),
  ];
}

function settledLines({ id, scope }: KeyRecord, verdict: Verdict): Line[] {
  const what = ` Call ${id} of ${revealedName(scope.tool)}`;
  if (verdict === "committed") {
    return [
      line(0, GOOD, `${what} counts as made.`),
      line(2, "Whoever repeats it with its key is told so; it is not run again."),
    ];
  }
  return [line(0, GOOD, `${what} counts as never made.`), line(2, "Its key is free: the next call with it runs.")];
}

function time(at: number): string {
  return new Date(at).toISOString();
}
