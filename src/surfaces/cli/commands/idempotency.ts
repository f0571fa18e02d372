import { invalidRequest } from "../../../util/invalid-request.js";
import { toKeyRecordPage } from "../../../operations/calls/call-pages.js";
import {
  type CallVerdict,
  KEY_STATE_WORDS,
  listKeyRecords,
  resolveUnknownCall,
} from "../../../operations/calls/idempotency-keys.js";
import type { KeyRecord, KeyState } from "../../../store/key-records.js";
import type { Input } from "../command.js";
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
} from "../../../terminal/lines.js";
import { revealedName } from "../../../terminal/reveal.js";
import { engineCommand } from "../session.js";
import { describeSpan } from "../../../util/time-words.js";

const KEY_STATES: readonly KeyState[] = ["reserved", "dispatched", "completed", "failed", "unknown"];

export const listIdempotencyKeys = engineCommand(async (engine, input, context) => {
  const { idempotency, runtime } = await engine.stages();
  const state = KEY_STATES.find((one) => one === input.text("state"));
  const key = input.text("key");
  const records = await listKeyRecords({ state, key }, idempotency);
  context.reply({ keys: records.map(toKeyRecordPage) }, () => keysLines(records, runtime.now()));
});

export const resolveKey = engineCommand(async (engine, input, context) => {
  const verdict = verdictOf(input);
  const { idempotency } = await engine.stages();
  const unknown = await resolveUnknownCall(input.argument("id-or-key"), verdict, idempotency);
  context.reply({ ...toKeyRecordPage(unknown), state: "resolved", resolved_as: verdict }, () =>
    settledLines(unknown, verdict),
  );
});

function verdictOf(input: Input): CallVerdict {
  const isCommitted = input.flag("committed");
  if (isCommitted !== input.flag("notCommitted")) return isCommitted ? "committed" : "not_committed";
  const message = isCommitted
    ? "--committed and --not-committed cannot be used together."
    : "Neither --committed nor --not-committed was passed.";
  throw invalidRequest(
    message,
    "First find out whether the call ran. Pass --committed if it ran, --not-committed if it did not.",
  );
}

const MARKS: Readonly<Record<KeyState, Styled>> = {
  reserved: WAITING,
  dispatched: WAITING,
  completed: GOOD,
  failed: BAD,
  unknown: WARNING,
};

export function keysLines(records: readonly KeyRecord[], now: number): Line[] {
  const unknown = records.filter(({ state }) => state === "unknown");
  if (records.length === 0) return ["No matching idempotency key is stored. Keys are deleted when they expire."];
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
    ? `The outcome of call ${first?.id} is unknown.`
    : `The outcomes of ${unknown.length} calls are unknown.`;
  const id = isOne ? String(first?.id) : "ID";
  return [
    line(0, WARNING, ` ${lost} Find out whether ${isOne ? "it" : "each"} ran. If so, run`),
    verbatim(4, `anygpt mcp idempotency resolve ${id} --committed`),
    line(2, "If not, run"),
    verbatim(4, `anygpt mcp idempotency resolve ${id} --not-committed`),
    line(2, "so that the same call can run again with this key."),
  ];
}

function keyLines({ id, scope, state, requestId, reservedAt, expiresAt }: KeyRecord, now: number): Line[] {
  return [
    line(0, MARKS[state], " ", bold(`${id}`), ` ${revealedName(scope.tool)}, key ${revealedName(scope.key)}`),
    line(
      2,
      `${KEY_STATE_WORDS[state]}; started ${describeSpan(now - reservedAt)} ago, key expires in ${describeSpan(expiresAt - now)}`,
    ),
    line(2, dim(`request ${requestId} of ${revealedName(scope.actor)}`)),
  ];
}

function settledLines({ id, scope }: KeyRecord, verdict: CallVerdict): Line[] {
  const what = ` Call ${id} of ${revealedName(scope.tool)}`;
  if (verdict === "committed") {
    return [
      line(0, GOOD, `${what} is recorded as committed.`),
      line(2, "The call does not run again: repeating it with the same key returns an error."),
    ];
  }
  return [line(0, GOOD, `${what} is recorded as not committed.`), line(2, "The next call with the same key runs.")];
}
