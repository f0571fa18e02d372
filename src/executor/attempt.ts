// One attempt to carry out a call, from its arrival to its record: what it holds, and how each way out is written down.
import type { AuditLog } from "../audit/create-audit-log.js";
import type { AuditCall, AuditOutcome } from "../audit/entry.js";
import { DiscoveryError, type Executed, toDiscoveryError } from "../errors.js";
import type { Actor } from "../model/actor.js";
import type { Call, CallResult } from "../model/call.js";
import { toolId } from "../model/tool.js";
import type { Risk } from "../policy/risk.js";
import type { Claim } from "../store/key-records.js";
import type { RateTicket } from "../store/rate-windows.js";
import { failpoint } from "../util/failpoint.js";
import { checkJsonValue } from "../util/json/check-value.js";
import type { Log } from "../util/log.js";
import type { Secrets } from "../util/secrets.js";
import type { Ending, Idempotency } from "./idempotency.js";
import { type Repeated, type Repeats, type RiskyCall, toRepeatedFact } from "./repeats.js";

type Told = Pick<AuditOutcome, "decision" | "outcome" | "error_code">;

export interface AttemptParts {
  /** Undefined when nothing is to be recorded. */
  readonly audit: AuditLog | undefined;
  readonly idempotency: Idempotency;
  readonly giveBack: (ticket: RateTicket) => Promise<void>;
  readonly repeats: Repeats;
  /** Hides what must not be seen in what the caller is told and in what is recorded. */
  readonly secrets: Pick<Secrets, "redact" | "redactError">;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

export class Attempt {
  readonly requestId: string;
  approvalId: string | undefined;
  replayedFrom: string | undefined;
  claim: Claim | undefined;
  ticket: RateTicket | undefined;
  isDryRun: boolean;
  /** Bytes may have left. */
  isSent = false;
  readonly #call: Call;
  readonly #parts: AttemptParts;
  readonly #startedAt: number;
  readonly #from: number;
  #toolId: string | undefined;
  #risk: Risk | undefined;
  #given: unknown;
  #paramsHash: string | undefined;
  #risky: RiskyCall | undefined;
  #repeated: Repeated | undefined;

  constructor(call: Call, parts: AttemptParts) {
    this.requestId = call.requestId ?? parts.newId();
    this.isDryRun = call.dryRun === true;
    this.#call = call;
    this.#parts = parts;
    this.#startedAt = parts.now();
    this.#from = parts.elapsed();
  }

  get actor(): Actor {
    return this.#call.actor;
  }

  /** From now on it is known what is called, however the caller wrote it. */
  resolved(id: string, risk: Risk): void {
    this.#toolId = id;
    this.#risk = risk;
  }

  hash(given: unknown): Promise<void> | undefined {
    this.#given = given;
    const hash = this.#parts.audit?.hash(given);
    if (typeof hash === "object") return hash.then((known) => void (this.#paramsHash = known));
    this.#paramsHash = hash;
    return undefined;
  }

  /** Notes that it is about to be sent, and gives the call before it that was the same. */
  noteRisky(said: Pick<RiskyCall, "toolId" | "arguments">): Repeated | undefined {
    const { actor, idempotencyKey: key } = this.#call;
    this.#risky = { ...said, actorId: actor.id, key, requestId: this.requestId };
    this.#repeated = this.#parts.repeats.note(this.#risky);
    return this.#repeated;
  }

  get repeated(): Repeated | undefined {
    return this.#repeated;
  }

  /** On disk, together with the key's state, before the first byte is sent. */
  async dispatch(isIntended: boolean): Promise<void> {
    const { audit, idempotency } = this.#parts;
    const writes: Promise<void>[] = [];
    if (this.claim !== undefined) writes.push(idempotency.dispatch(this.claim));
    if (isIntended && audit !== undefined) writes.push(audit.record(this.#toEntry("intent")));
    await Promise.all(writes);
    failpoint("call.after_dispatch");
  }

  /** Records an answer; throws when that fails, because an unrecorded success is the one outcome we never report. */
  async answered(result: CallResult): Promise<void> {
    failpoint("call.after_answer");
    const outcome = this.isDryRun ? "dry_run" : result.isError === true ? "tool_error" : "ok";
    try {
      await this.#conclude({ kind: "answer", result }, { decision: "allowed", outcome });
    } catch (failure) {
      throw this.#tell(failure, this.isSent ? "yes" : "no");
    }
    failpoint("call.after_record");
  }

  /** Records a failure and gives the error to be told. */
  async failed(thrown: unknown): Promise<DiscoveryError> {
    const error = this.#tell(thrown, thrown instanceof DiscoveryError || !this.isSent ? "no" : "unknown");
    if (error.code === "INTERNAL_ERROR") {
      const facts = { level: "error", request_id: this.requestId } as const;
      this.#parts.log(`Request ${this.requestId} failed: ${describeDefect(thrown)}`, facts);
    }
    if (this.#risky !== undefined) this.#noteEnd(this.#risky, error.executed);
    const decision = isRefusal(error) ? "refused" : "allowed";
    try {
      await this.#conclude({ kind: "error", error }, { decision, outcome: "error", error_code: error.code });
    } catch (failure) {
      return error.code === "AUDIT_UNAVAILABLE" ? error : this.#tell(failure, error.executed);
    }
    return error;
  }

  #noteEnd(risky: RiskyCall, executed: Executed): void {
    if (executed === "no") this.#parts.repeats.forget(risky);
    if (executed === "unknown") this.#parts.repeats.lost(risky);
  }

  async #conclude(ending: Ending, told: Told): Promise<void> {
    const { audit } = this.#parts;
    if (audit !== undefined && this.#paramsHash === undefined) await this.#hashLate(audit);
    const writes: Promise<void>[] = [];
    if (this.claim !== undefined) writes.push(this.#settleKey(this.claim, ending));
    if (this.ticket !== undefined) writes.push(this.#settleTicket(this.ticket, ending));
    if (audit !== undefined) writes.push(audit.record(this.#toOutcome(told)));
    await (writes.length === 1 ? writes[0] : Promise.all(writes));
  }

  #settleKey(claim: Claim, ending: Ending): Promise<void> {
    const { idempotency } = this.#parts;
    if (ending.kind === "answer") return idempotency.finish(claim, ending);
    if (ending.error.executed === "no") return idempotency.release(claim);
    return idempotency.finish(claim, ending.error.executed === "yes" ? ending : { kind: "unknown" });
  }

  /** What was not sent uses up nothing. */
  #settleTicket(ticket: RateTicket, ending: Ending): Promise<void> {
    const isUnused = ending.kind === "error" && ending.error.executed === "no";
    return isUnused ? this.#parts.giveBack(ticket) : Promise.resolve();
  }

  /** A call that was refused before its arguments were read is recognised as well, if they are such as can be hashed. */
  async #hashLate(audit: AuditLog): Promise<void> {
    const strict = checkJsonValue(this.#call.arguments ?? {});
    if (strict.kind === "value" && !this.#call.flaws?.length) this.#paramsHash = await audit.hash(strict.value);
  }

  #toEntry<Kind extends "intent" | "outcome">(kind: Kind): AuditCall & { kind: Kind } {
    const { actor, server, tool, idempotencyKey } = this.#call;
    return {
      kind,
      request_id: this.requestId,
      timestamp: new Date(this.#startedAt).toISOString(),
      actor_id: actor.id,
      surface: actor.surface,
      // A name that no tool has may be anything that the caller has at hand.
      tool_id: this.#toolId ?? this.#parts.secrets.redact(toolId(server, tool)),
      params_hash: this.#paramsHash ?? null,
      risk: this.#risk ?? null,
      idempotency_key: idempotencyKey,
      approval_id: this.approvalId,
      replayed_from: this.replayedFrom,
      repeats: this.#repeated?.requestId,
    };
  }

  #toOutcome(told: Told): AuditOutcome {
    const duration_ms = Math.round((this.#parts.elapsed() - this.#from) * 1000) / 1000;
    return Object.assign(this.#toEntry("outcome"), told, { duration_ms, arguments: this.#given });
  }

  /** Who hears of a failure must know whether the tool ran, also when it is the record that failed. */
  #tell(thrown: unknown, executed: Executed): DiscoveryError {
    const { server, tool } = this.#call;
    const repeats = this.#repeated === undefined ? {} : { repeats: toRepeatedFact(this.#repeated) };
    const about = { server, tool, request_id: this.requestId, executed, ...repeats };
    const error = toDiscoveryError(thrown, executed).about(about);
    return this.#parts.secrets.redactError(error);
  }
}

/** The gateway said no by itself; a server that cannot be reached or fails was called with our leave. */
function isRefusal({ code, entry }: DiscoveryError): boolean {
  return entry.http < 500 && code !== "CANCELLED";
}

export function describeDefect(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
