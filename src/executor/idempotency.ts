// Idempotency keys: a call either gets the stored result of the first call with its key, or the right to run.
import type { AuditAct } from "../audit/entry.js";
import { DiscoveryError, type ErrorCode, type Executed } from "../errors.js";
import type { CallResult } from "../model/call.js";
import {
  type KeyClaim,
  type KeyEnding as StoredEnding,
  type KeyQuery,
  type KeyQuotas,
  type KeyRecord,
  type KeyRecords,
  type KeyScope,
  MAX_ANSWER_BYTES,
} from "../store/key-records.js";
import { readHint } from "../model/next-steps.js";
import type { PendingWrites } from "./pending-writes.js";
import type { Encryption } from "./encryption.js";

export interface KeyedCall {
  readonly scope: KeyScope;
  readonly fingerprint: string;
  /** Whether the call may be repeated if it is unknown whether it ran. */
  readonly isIdempotent: boolean;
}

/** The final outcome of a call. A repeated call with the same idempotency key receives it again. */
export type CallEnding =
  | { readonly kind: "answer"; readonly result: CallResult }
  | { readonly kind: "error"; readonly error: DiscoveryError };

export interface Replay {
  /** The request id of the call that ran. */
  readonly requestId: string;
  readonly ending: CallEnding;
}

export interface Idempotency {
  /**
   * Returns the stored result for the idempotency key; undefined if the call may run. Throws if the key is in use.
   * Writes nothing.
   */
  findReplay(call: KeyedCall): Promise<Replay | undefined>;
  reserve(call: KeyedCall, requestId: string): Promise<KeyClaim | Replay>;
  /** Records that the call is about to be sent. Must complete before the first byte is sent. */
  dispatch(claim: KeyClaim): Promise<void>;
  /** Stores the outcome. `unknown`: the call was sent, and it cannot be determined whether it ran. */
  finish(claim: KeyClaim, ending: CallEnding | { readonly kind: "unknown" }): Promise<void>;
  /** Frees the idempotency key of a call that did not run. */
  release(claim: KeyClaim): Promise<void>;
  list(query: Omit<KeyQuery, "now">): Promise<readonly KeyRecord[]>;
  /**
   * Records an operator's decision about a call with unknown outcome. Returns undefined if no such call has this id.
   */
  resolve(id: number, verdict: "committed" | "not_committed", by: string): Promise<KeyRecord | undefined>;
}

export interface IdempotencyParts {
  readonly keys: KeyRecords;
  readonly pendingWrites: PendingWrites;
  readonly encryption: () => Promise<Encryption>;
  readonly ttlMs: number;
  readonly quotas: KeyQuotas;
  readonly now: () => number;
  readonly note: (act: AuditAct) => Promise<void>;
}

export function createIdempotency({
  keys,
  pendingWrites,
  encryption,
  ttlMs,
  quotas,
  now,
  note,
}: IdempotencyParts): Idempotency {
  let opened: Encryption | undefined;
  const toReplay = async (call: KeyedCall, record: KeyRecord): Promise<Replay | undefined> => {
    if (record.fingerprint !== call.fingerprint) throw conflict(record);
    if (record.state === "reserved" || record.state === "dispatched") throw inProgress(record);
    if (record.state === "unknown") {
      if (call.isIdempotent) return undefined;
      throw outcomeUnknown(record);
    }
    return { requestId: record.requestId, ending: parseEnding(await decrypted(record), record) };
  };
  const decrypted = async ({ answer }: KeyRecord): Promise<string | undefined> => {
    opened ??= await encryption();
    return answer && opened.decrypt(answer);
  };

  return {
    async findReplay(call) {
      await pendingWrites.flush();
      const record = await keys.find(call.scope, now());
      return record && (await toReplay(call, record));
    },

    async reserve(call, requestId) {
      const { scope, fingerprint, isIdempotent: rerun } = call;
      opened ??= await encryption();
      const request = { fingerprint, requestId, now: now(), ttlMs, rerun, quotas };
      const reservation = await keys.reserve(scope, request).catch((error: unknown) => {
        // The reservation may have been written although the store reported an error. Reserving the key again with the
        // same request id returns that reservation, so that it can be released.
        pendingWrites.add(async () => {
          const repeated = await keys.reserve(scope, request);
          if (repeated.kind === "reserved") await keys.release(repeated.claim);
        });
        throw error;
      });
      if (reservation.kind === "reserved") return reservation.claim;
      if (reservation.kind === "full") throw quotaReached(reservation.keys, quotas);
      const replay = await toReplay(call, reservation.record);
      if (replay === undefined) throw inProgress(reservation.record);
      return replay;
    },

    async dispatch(claim) {
      if (!(await keys.dispatch(claim, now()))) throw alreadyStarted();
    },

    async finish(claim, ending) {
      // Do not await anything before this write: it shares one disk sync with the audit record of the outcome.
      const stored = toStored(ending, opened);
      await pendingWrites.write(() => keys.finish(claim, stored, now()));
    },

    release: (claim) => pendingWrites.write(() => keys.release(claim)),

    list: (query) => keys.list({ ...query, now: now() }),

    async resolve(id, verdict, by) {
      const unknown = (await keys.list({ now: now(), state: "unknown" })).find((record) => record.id === id);
      if (unknown === undefined) return undefined;
      await note({ action: `resolve_key_${verdict}`, subject: unknown.requestId, by, tool_id: unknown.scope.tool });
      return await keys.resolve(id, verdict, now());
    },
  };
}

function toStored(ending: CallEnding | { readonly kind: "unknown" }, encryption: Encryption | undefined): StoredEnding {
  if (ending.kind === "unknown" || encryption === undefined) return { kind: "unknown" };
  const kind = ending.kind === "answer" && ending.result.isError !== true ? "completed" : "failed";
  const text = toText(ending);
  const answerBytes = Buffer.byteLength(text);
  return answerBytes > MAX_ANSWER_BYTES ? { kind, answerBytes } : { kind, answer: encryption.encrypt(text) };
}

interface StoredError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: unknown;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly executed: Executed;
}

function toText(ending: CallEnding): string {
  if (ending.kind === "answer") return JSON.stringify({ result: ending.result });
  const { code, message, nextSteps: hint, facts, executed } = ending.error;
  return JSON.stringify({ error: { code, message, hint, facts, executed } satisfies StoredError });
}

function parseEnding(text: string | undefined, record: KeyRecord): CallEnding {
  if (text === undefined) return { kind: "error", error: answerUnavailable(record) };
  const { result, error } = JSON.parse(text) as { result?: CallResult; error?: StoredError };
  if (result !== undefined) return { kind: "answer", result };
  const { code, message, hint, ...options } = error ?? { code: "INTERNAL_ERROR", message: "" };
  return { kind: "error", error: new DiscoveryError(code, message, { ...options, hint: readHint(hint) }) };
}

/**
 * The error if the call ran, but its result cannot be replayed: it was too large, it was encrypted with a lost
 * encryption key, or only an operator recorded that the call ran.
 */
function answerUnavailable({ answerBytes, requestId }: KeyRecord): DiscoveryError {
  const facts = { original_request_id: requestId };
  const hint = "Do not repeat the call with another key. Check what it has done instead.";
  if (answerBytes === undefined) {
    const message = "The call with this idempotency key has run, but its answer is not available.";
    return new DiscoveryError("IDEMPOTENCY_OUTCOME_UNKNOWN", message, { hint, facts, executed: "yes" });
  }
  const message = `The call with this key has run, but its answer of ${answerBytes} bytes was not stored.`;
  return new DiscoveryError("RESULT_TOO_LARGE", message, { hint, facts, executed: "yes" });
}

function conflict({ requestId }: KeyRecord): DiscoveryError {
  const message =
    "The idempotency key was used for a call with different arguments, or before the tool's definition changed.";
  return new DiscoveryError("IDEMPOTENCY_CONFLICT", message, {
    hint: "Repeat the call with exactly the same arguments. Before you use a new key, check what the first call has done.",
    facts: { original_request_id: requestId },
  });
}

/** The error for a caller that stores too much; other callers are not affected. */
function quotaReached(keys: number, { maxKeysPerActor, maxBytesPerActor }: KeyQuotas): DiscoveryError {
  const [what, setting] =
    keys >= maxKeysPerActor
      ? [`${maxKeysPerActor} idempotency keys`, "maxKeysPerActor"]
      : [`${maxBytesPerActor} bytes of results under idempotency keys`, "maxBytesPerActor"];
  return new DiscoveryError("OVERLOADED", `This caller has stored ${what}, the maximum. Nothing was sent.`, {
    hint: [
      "Wait until older keys expire, or call without a key if the tool does not need one.",
      { action: "edit-config", key: `policy.idempotency.${setting}` },
    ],
  });
}

const RETRY_SECONDS = 1;

function inProgress({ requestId }: KeyRecord): DiscoveryError {
  return new DiscoveryError("IDEMPOTENCY_IN_PROGRESS", "A call with this idempotency key is still running.", {
    hint: [{ action: "retry", afterSeconds: RETRY_SECONDS }, "Use the same key."],
    facts: { retry_after_seconds: RETRY_SECONDS, original_request_id: requestId },
  });
}

function outcomeUnknown({ id, requestId }: KeyRecord): DiscoveryError {
  const message =
    "A call with this idempotency key was sent, but its answer was lost: it is unknown whether the tool ran.";
  return new DiscoveryError("IDEMPOTENCY_OUTCOME_UNKNOWN", message, {
    hint: [
      "The gateway does not run the call again. Check what it has done.",
      {
        action: "run-command",
        command: `anygpt mcp idempotency resolve ${id} --committed`,
        purpose: "record that it ran",
      },
      {
        action: "run-command",
        command: `anygpt mcp idempotency resolve ${id} --not-committed`,
        purpose: "record that it did not run",
      },
    ],
    facts: { original_request_id: requestId, key_record: id },
    executed: "unknown",
  });
}

function alreadyStarted(): DiscoveryError {
  return new DiscoveryError("IDEMPOTENCY_IN_PROGRESS", "Another call with this idempotency key started first.", {
    hint: [{ action: "retry", afterSeconds: RETRY_SECONDS }, "Use the same key."],
    facts: { retry_after_seconds: RETRY_SECONDS },
  });
}
