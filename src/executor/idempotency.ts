// A caller's key comes in; what became of the call that had it first goes out, or the right to run it.
import type { AuditAct } from "../audit/entry.js";
import { DiscoveryError, type ErrorCode, type Executed } from "../errors.js";
import type { CallResult } from "../model/call.js";
import {
  type Claim,
  type Ending as StoredEnding,
  type KeyQuery,
  type KeyRecord,
  type KeyRecords,
  type KeyScope,
  MAX_ANSWER_BYTES,
} from "../store/key-records.js";
import type { Arrears } from "./arrears.js";
import type { Seals } from "./seals.js";

export interface KeyedCall {
  readonly scope: KeyScope;
  readonly fingerprint: string;
  /** It may run again when nobody knows whether it ran. */
  readonly isIdempotent: boolean;
}

/** How a call ended for good, as it is told again to whoever repeats it. */
export type Ending =
  | { readonly kind: "answer"; readonly result: CallResult }
  | { readonly kind: "error"; readonly error: DiscoveryError };

export interface Replay {
  /** Of the call that ran. */
  readonly requestId: string;
  readonly ending: Ending;
}

export interface Idempotency {
  /** What is known of the key, if that decides the call; nothing is changed. */
  look(call: KeyedCall): Promise<Replay | undefined>;
  reserve(call: KeyedCall, requestId: string): Promise<Claim | Replay>;
  /** To be awaited before the first byte is sent. */
  dispatch(claim: Claim): Promise<void>;
  /** `unknown`: it was sent, and nobody will ever know. */
  finish(claim: Claim, ending: Ending | { readonly kind: "unknown" }): Promise<void>;
  /** Nothing was sent: the key is as new. */
  release(claim: Claim): Promise<void>;
  list(query: Omit<KeyQuery, "now">): Promise<readonly KeyRecord[]>;
  /** A person says how an unknown call ended. Undefined when that key is not unknown. */
  resolve(id: number, verdict: "committed" | "not_committed", by: string): Promise<KeyRecord | undefined>;
}

export interface IdempotencyParts {
  readonly keys: KeyRecords;
  readonly arrears: Arrears;
  readonly seals: () => Promise<Seals>;
  readonly ttlMs: number;
  readonly now: () => number;
  readonly note: (act: AuditAct) => Promise<void>;
}

export function createIdempotency({ keys, arrears, seals, ttlMs, now, note }: IdempotencyParts): Idempotency {
  let opened: Seals | undefined;
  const toReplay = async (call: KeyedCall, record: KeyRecord): Promise<Replay | undefined> => {
    if (record.fingerprint !== call.fingerprint) throw conflict(record);
    if (record.state === "reserved" || record.state === "dispatched") throw inProgress(record);
    if (record.state === "unknown") {
      if (call.isIdempotent) return undefined;
      throw outcomeUnknown(record);
    }
    return { requestId: record.requestId, ending: parseEnding(await unsealed(record), record) };
  };
  const unsealed = async ({ answer }: KeyRecord): Promise<string | undefined> => {
    opened ??= await seals();
    return answer && opened.unseal(answer);
  };

  return {
    async look(call) {
      await arrears.settle();
      const record = await keys.find(call.scope, now());
      return record && (await toReplay(call, record));
    },

    async reserve(call, requestId) {
      const { scope, fingerprint, isIdempotent: rerun } = call;
      opened ??= await seals();
      const request = { fingerprint, requestId, now: now(), ttlMs, rerun };
      const reservation = await keys.reserve(scope, request).catch((error: unknown) => {
        // It may have been made though nobody told us: then the same request finds it, and lets it go.
        arrears.owe(async () => {
          const made = await keys.reserve(scope, request);
          if (made.kind === "reserved") await keys.release(made.claim);
        });
        throw error;
      });
      if (reservation.kind === "reserved") return reservation.claim;
      const replay = await toReplay(call, reservation.record);
      if (replay === undefined) throw inProgress(reservation.record);
      return replay;
    },

    async dispatch(claim) {
      if (!(await keys.dispatch(claim, now()))) throw lost();
    },

    async finish(claim, ending) {
      // Nothing is waited for before the write, so that it shares one sync of the disk with the record of the outcome.
      const stored = toStored(ending, opened);
      await arrears.pay(() => keys.finish(claim, stored, now()));
    },

    release: (claim) => arrears.pay(() => keys.release(claim)),

    list: (query) => keys.list({ ...query, now: now() }),

    async resolve(id, verdict, by) {
      const unknown = (await keys.list({ now: now(), state: "unknown" })).find((record) => record.id === id);
      if (unknown === undefined) return undefined;
      await note({ action: `resolve_key_${verdict}`, subject: unknown.requestId, by, tool_id: unknown.scope.tool });
      return await keys.resolve(id, verdict, now());
    },
  };
}

function toStored(ending: Ending | { readonly kind: "unknown" }, seals: Seals | undefined): StoredEnding {
  if (ending.kind === "unknown" || seals === undefined) return { kind: "unknown" };
  const kind = ending.kind === "answer" && ending.result.isError !== true ? "completed" : "failed";
  const text = toText(ending);
  const answerBytes = Buffer.byteLength(text);
  return answerBytes > MAX_ANSWER_BYTES ? { kind, answerBytes } : { kind, answer: seals.seal(text) };
}

interface StoredError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly executed: Executed;
}

function toText(ending: Ending): string {
  if (ending.kind === "answer") return JSON.stringify({ result: ending.result });
  const { code, message, hint, facts, executed } = ending.error;
  return JSON.stringify({ error: { code, message, hint, facts, executed } satisfies StoredError });
}

function parseEnding(text: string | undefined, record: KeyRecord): Ending {
  if (text === undefined) return { kind: "error", error: notKept(record) };
  const { result, error } = JSON.parse(text) as { result?: CallResult; error?: StoredError };
  if (result !== undefined) return { kind: "answer", result };
  const { code, message, ...options } = error ?? { code: "INTERNAL_ERROR", message: "" };
  return { kind: "error", error: new DiscoveryError(code, message, options) };
}

/** The call ran, and its answer is not there: too large, sealed with a lost key, or a person settled that it ran. */
function notKept({ answerBytes, requestId }: KeyRecord): DiscoveryError {
  const facts = { original_request_id: requestId };
  const hint = "Do not repeat it with another key; look at what it has done instead.";
  if (answerBytes === undefined) {
    const message = "A call with this key was made, as a person has settled; its answer is not known.";
    return new DiscoveryError("IDEMPOTENCY_OUTCOME_UNKNOWN", message, { hint, facts, executed: "yes" });
  }
  const message = `The call with this key has run, but its answer of ${answerBytes} bytes was not kept.`;
  return new DiscoveryError("RESULT_TOO_LARGE", message, { hint, facts, executed: "yes" });
}

function conflict({ requestId }: KeyRecord): DiscoveryError {
  const message =
    "The idempotency key was used for a call with other arguments, or before the tool's definition changed.";
  return new DiscoveryError("IDEMPOTENCY_CONFLICT", message, {
    hint: "Repeat a call with exactly the same arguments. Before you use a new key, find out what the first call has done.",
    facts: { original_request_id: requestId },
  });
}

const RETRY_SECONDS = 1;

function inProgress({ requestId }: KeyRecord): DiscoveryError {
  return new DiscoveryError("IDEMPOTENCY_IN_PROGRESS", "A call with this idempotency key is still running.", {
    hint: "Repeat the same call with the same key a little later.",
    facts: { retry_after_seconds: RETRY_SECONDS, original_request_id: requestId },
  });
}

function outcomeUnknown({ id, requestId }: KeyRecord): DiscoveryError {
  const message = "A call with this idempotency key was sent and then lost; whether the tool ran is not known.";
  return new DiscoveryError("IDEMPOTENCY_OUTCOME_UNKNOWN", message, {
    hint: `It is not run again. Find out what it has done, and have your person settle it with "anygpt mcp idempotency resolve ${id} --committed" or "--not-committed".`,
    facts: { original_request_id: requestId, key_record: id },
    executed: "unknown",
  });
}

function lost(): DiscoveryError {
  return new DiscoveryError("IDEMPOTENCY_IN_PROGRESS", "Another call with this idempotency key was faster.", {
    hint: "Repeat the same call with the same key a little later.",
    facts: { retry_after_seconds: RETRY_SECONDS },
  });
}
