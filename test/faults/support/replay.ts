import type { Json, Outcome } from "./gateway.js";

/** The marker of a replayed answer. */
const REPLAYED = "anygpt/replayed";
/** The id of the audit record, which differs for each call. */
const EXECUTION = "anygpt/execution";

export interface Answer {
  /** The answer of the server, without the additions of the gateway. */
  readonly text: string;
  /** The request that ran, if this is its stored answer. */
  readonly replayOf: string | undefined;
}

export function toAnswer(result: Json): Answer {
  const { _meta: meta = {}, ...members } = result;
  const { [REPLAYED]: mark, [EXECUTION]: _own, ...others } = meta as Json;
  const original = Object.keys(result)
    .filter((key) => key !== "_meta" || Object.keys(others).length > 0)
    .map((key) => [key, key === "_meta" ? others : members[key]]);
  return {
    text: JSON.stringify(Object.fromEntries(original)),
    replayOf: mark === undefined ? undefined : String((mark as Json)["request_id"]),
  };
}

/** A short description for a violation. */
export function describe(outcome: Outcome): string {
  switch (outcome.kind) {
    case "answer":
      return toAnswer(outcome.result).replayOf === undefined ? "an answer" : "a replay";
    case "error":
      return `${outcome.code} (executed ${outcome.executed})`;
    case "refused":
      return `JSON-RPC ${outcome.code} ${outcome.message}`;
    case "died":
      return "no answer, the gateway exited";
  }
}
