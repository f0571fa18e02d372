// One call from its arrival to its audit record. Every outcome is recorded here.
import type { AuditLog } from "../audit/create-audit-log.js";
import type { AuditCall, AuditOutcome } from "../audit/entry.js";
import { DiscoveryError, type Executed, toDiscoveryError } from "../errors.js";
import type { Actor } from "../model/actor.js";
import type { Call, CallResult } from "../model/call.js";
import { type Tool, toolId } from "../model/tool.js";
import type { Risk } from "../policy/risk.js";
import type { KeyClaim } from "../store/key-records.js";
import type { RateTicket } from "../store/rate-windows.js";
import { parseTraceparent } from "../tracing/trace-context.js";
import { failpoint } from "../util/failpoint.js";
import { checkJsonValue } from "../util/json/check-value.js";
import type { Log } from "../util/log.js";
import type { Secrets } from "../util/secrets.js";
import type { CallObserver, ObserveCall } from "./call-observer.js";
import type { Coercion } from "./coerce-value.js";
import type { CallEnding, Idempotency } from "./idempotency.js";
import { type Repeated, type Repeats, type RiskyCall, toRepeatedFact } from "./repeats.js";

type RecordedOutcome = Pick<AuditOutcome, "decision" | "outcome" | "error_code">;

export interface AttemptParts {
  /** Undefined if the audit log is disabled. */
  readonly audit: AuditLog | undefined;
  readonly idempotency: Idempotency;
  /** Undoes the rate-limit count of a call that did not run. */
  readonly giveBack: (ticket: RateTicket) => Promise<void>;
  /** Undefined if metrics, traces and the call log are disabled. */
  readonly observe?: ObserveCall | undefined;
  readonly repeats: Repeats;
  /** Redacts secrets in errors for the caller and in audit records. */
  readonly secrets: Pick<Secrets, "redact" | "redactError">;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

export class Attempt {
  readonly requestId: string;
  readonly observer: CallObserver | undefined;
  /** The called tool; undefined until it is found. */
  tool: Tool | undefined;
  approvalId: string | undefined;
  replayedFrom: string | undefined;
  claim: KeyClaim | undefined;
  ticket: RateTicket | undefined;
  isDryRun: boolean;
  /** Whether bytes of the call may have been sent to the server. */
  isSent = false;
  readonly #call: Call;
  readonly #parts: AttemptParts;
  readonly #startedAt: number;
  readonly #from: number;
  #toolId: string | undefined;
  #risk: Risk | undefined;
  #arguments: unknown;
  #coerced: readonly string[] | undefined;
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
    this.observer = parts.observe?.(call, this.requestId);
  }

  get actor(): Actor {
    return this.#call.context.actor;
  }

  /**
   * Must be called as soon as the tool is found. If the tool is never found, the audit record of the call contains the
   * tool name that the caller sent.
   */
  resolved(tool: Tool, risk: Risk): void {
    this.tool = tool;
    this.#toolId = tool.id;
    this.#risk = risk;
    this.observer?.found(tool, risk);
  }

  /** Computes the hash of the arguments for the audit log. `coercions`: the values in them that were converted. */
  hash(args: unknown, coercions: readonly Coercion[] = []): Promise<void> | undefined {
    this.#arguments = args;
    if (coercions.length > 0) this.#coerced = coercions.map(describeCoercion);
    const hash = this.#parts.audit?.hash(args);
    if (typeof hash === "object") return hash.then((known) => void (this.#paramsHash = known));
    this.#paramsHash = hash;
    return undefined;
  }

  /**
   * Registers a risky call that is about to be sent. Returns the earlier call that it probably duplicates, if there is
   * one.
   */
  registerRisky(content: Pick<RiskyCall, "toolId" | "arguments">): Repeated | undefined {
    const { context, idempotencyKey: key } = this.#call;
    this.#risky = { ...content, actorId: context.actor.id, key, requestId: this.requestId };
    this.#repeated = this.#parts.repeats.register(this.#risky);
    return this.#repeated;
  }

  get repeated(): Repeated | undefined {
    return this.#repeated;
  }

  /**
   * Writes the audit intent and the state of the idempotency key to disk. Must complete before the first byte is sent.
   */
  async dispatch(needsIntent: boolean): Promise<void> {
    const { audit, idempotency } = this.#parts;
    const writes: Promise<void>[] = [];
    if (this.claim !== undefined) writes.push(idempotency.dispatch(this.claim));
    if (needsIntent && audit !== undefined) writes.push(audit.record(this.#toEntry("intent")));
    await Promise.all(writes);
    failpoint("call.after_dispatch");
  }

  /**
   * Records a result. Throws if that fails: the gateway never reports success for a call that is not in the audit log.
   */
  async answered(result: CallResult): Promise<void> {
    failpoint("call.after_answer");
    const outcome = this.isDryRun ? "dry_run" : result.isError === true ? "tool_error" : "ok";
    try {
      await this.#conclude({ kind: "answer", result }, { decision: "allowed", outcome });
    } catch (failure) {
      const error = this.#toCallerError(failure, this.isSent ? "yes" : "no");
      this.observer?.failed(error);
      throw error;
    }
    failpoint("call.after_record");
    this.observer?.answered(result);
  }

  /** Records that the call failed, and returns the error for the caller. */
  async failed(thrown: unknown): Promise<DiscoveryError> {
    const error = await this.#recordFailure(thrown);
    this.observer?.failed(error);
    return error;
  }

  async #recordFailure(thrown: unknown): Promise<DiscoveryError> {
    const error = this.#toCallerError(thrown, thrown instanceof DiscoveryError || !this.isSent ? "no" : "unknown");
    if (error.code === "INTERNAL_ERROR") {
      const facts = { level: "error", request_id: this.requestId } as const;
      this.#parts.log(`Request ${this.requestId} failed: ${describeDefect(thrown)}`, facts);
    }
    if (this.#risky !== undefined) this.#updateRepeats(this.#risky, error.executed);
    const decision = isRefusal(error) ? "refused" : "allowed";
    try {
      await this.#conclude({ kind: "error", error }, { decision, outcome: "error", error_code: error.code });
    } catch (failure) {
      return error.code === "AUDIT_UNAVAILABLE" ? error : this.#toCallerError(failure, error.executed);
    }
    return error;
  }

  #updateRepeats(risky: RiskyCall, executed: Executed): void {
    if (executed === "no") this.#parts.repeats.forget(risky);
    if (executed === "unknown") this.#parts.repeats.lost(risky);
  }

  async #conclude(ending: CallEnding, recorded: RecordedOutcome): Promise<void> {
    const { audit } = this.#parts;
    if (audit !== undefined && this.#paramsHash === undefined) await this.#hashLate(audit);
    const writes: Promise<void>[] = [];
    if (this.claim !== undefined) writes.push(this.#settleKey(this.claim, ending));
    if (this.ticket !== undefined) writes.push(this.#settleTicket(this.ticket, ending));
    if (audit !== undefined) writes.push(audit.record(this.#toOutcome(recorded)));
    await (writes.length === 1 ? writes[0] : Promise.all(writes));
  }

  #settleKey(claim: KeyClaim, ending: CallEnding): Promise<void> {
    const { idempotency } = this.#parts;
    if (ending.kind === "answer") return idempotency.finish(claim, ending);
    if (ending.error.executed === "no") return idempotency.release(claim);
    return idempotency.finish(claim, ending.error.executed === "yes" ? ending : { kind: "unknown" });
  }

  /** If the call did not run, removes it from the count of its rate limit. */
  #settleTicket(ticket: RateTicket, ending: CallEnding): Promise<void> {
    const isUnused = ending.kind === "error" && ending.error.executed === "no";
    return isUnused ? this.#parts.giveBack(ticket) : Promise.resolve();
  }

  /**
   * Hashes the arguments of a call that was refused before its arguments were parsed. Arguments that are not valid JSON
   * are not hashed.
   */
  async #hashLate(audit: AuditLog): Promise<void> {
    const strict = checkJsonValue(this.#call.arguments ?? {});
    if (strict.kind === "value" && !this.#call.context.flaws?.length) this.#paramsHash = await audit.hash(strict.value);
  }

  #toEntry<Kind extends "intent" | "outcome">(kind: Kind): AuditCall & { kind: Kind } {
    const { context, server, tool, idempotencyKey } = this.#call;
    const { actor, clientName, meta } = context;
    const trace = meta?.["traceparent"] === undefined ? undefined : parseTraceparent(meta["traceparent"]);
    return {
      kind,
      request_id: this.requestId,
      timestamp: new Date(this.#startedAt).toISOString(),
      actor_id: actor.id,
      surface: actor.surface,
      // The name of a client is arbitrary text from the caller.
      client_name: clientName && this.#parts.secrets.redact(clientName.name),
      client_version: clientName && this.#parts.secrets.redact(clientName.version),
      trace_id: trace?.traceId,
      span_id: trace?.spanId,
      // An unknown tool name is arbitrary text from the caller and may contain a secret.
      tool_id: this.#toolId ?? this.#parts.secrets.redact(toolId(server, tool)),
      params_hash: this.#paramsHash ?? null,
      // The name of a member may be arbitrary text from the caller.
      coerced: this.#coerced?.map((one) => this.#parts.secrets.redact(one)),
      risk: this.#risk ?? null,
      idempotency_key: idempotencyKey,
      approval_id: this.approvalId,
      replayed_from: this.replayedFrom,
      repeats: this.#repeated?.requestId,
    };
  }

  #toOutcome(recorded: RecordedOutcome): AuditOutcome {
    const duration_ms = Math.round((this.#parts.elapsed() - this.#from) * 1000) / 1000;
    return Object.assign(this.#toEntry("outcome"), recorded, { duration_ms, arguments: this.#arguments });
  }

  /**
   * Adds to an error whether the tool ran (`executed`). The caller must know this even if the tool succeeded and only
   * writing the audit record failed.
   */
  #toCallerError(thrown: unknown, executed: Executed): DiscoveryError {
    const { server, tool } = this.#call;
    const repeats = this.#repeated === undefined ? {} : { repeats: toRepeatedFact(this.#repeated) };
    const about = { ...(server === "" ? {} : { server }), tool, request_id: this.requestId, executed, ...repeats };
    const error = toDiscoveryError(thrown, executed).about(about);
    return this.#parts.secrets.redactError(error);
  }
}

/**
 * Whether the gateway itself refused the call. False if the policy allowed the call and the server was unreachable or
 * failed.
 */
function isRefusal({ code, entry }: DiscoveryError): boolean {
  return entry.http < 500 && code !== "CANCELLED";
}

/** Returns for example `/count: string to number`. */
function describeCoercion({ path, from, to }: Coercion): string {
  return `${path}: ${from} to ${to}`;
}

export function describeDefect(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
