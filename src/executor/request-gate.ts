// Checks and records every request to a server that is not a tool call: prompts, resources, completions and
// subscriptions. The same policy decides about them as about tool calls. In the patterns of the policy, the name of such
// a request is its method, for example `github:resources/read`.
import type { AuditLog } from "../audit/create-audit-log.js";
import { DiscoveryError, toDiscoveryError } from "../errors.js";
import type { Actor } from "../model/actor.js";
import type { JsonObject } from "../model/json.js";
import { type Tool, toolId } from "../model/tool.js";
import type { PolicyDecision } from "../policy/decide.js";
import type { Policy } from "../policy/policy.js";
import type { RateWindows } from "../store/rate-windows.js";
import { checkJsonValue } from "../util/json/check-value.js";
import type { Secrets } from "../util/secrets.js";
import { flagHiddenText } from "./flag-hidden-text.js";

/** The methods that reach a server besides `tools/list` and `tools/call`. */
export type GatedMethod =
  | "prompts/list"
  | "prompts/get"
  | "resources/list"
  | "resources/templates/list"
  | "resources/read"
  | "resources/subscribe"
  | "completion/complete";

export interface GatedRequest {
  readonly actor: Actor;
  readonly server: string;
  readonly method: GatedMethod;
  /** The parameters as they are sent, without `_meta`. */
  readonly params: JsonObject;
}

interface GatedAnswer {
  readonly kind: "result" | "error";
  readonly result?: JsonObject;
}

export interface RequestGate {
  /** Whether the caller may send requests with this method to the server. */
  permits(request: Pick<GatedRequest, "actor" | "server" | "method">): boolean;
  /**
   * Sends the request if the policy permits it, and records it in the audit log before the answer is returned. Throws
   * SCOPE_REQUIRED, POLICY_DENIED, RATE_LIMITED or AUDIT_UNAVAILABLE otherwise.
   */
  run<Answer extends GatedAnswer>(request: GatedRequest, send: () => Promise<Answer>): Promise<Answer>;
}

export interface RequestGateParts {
  readonly policy: Policy;
  /** All tools of the server that are known. */
  readonly toolsOf: (server: string) => readonly Tool[];
  readonly rates: RateWindows;
  /** Undefined if the audit log is disabled. */
  readonly audit: AuditLog | undefined;
  readonly secrets: Pick<Secrets, "redactError">;
  readonly now: () => number;
  readonly steadyNow: () => number;
  readonly elapsed: () => number;
  readonly newId: () => string;
}

export function createRequestGate(parts: RequestGateParts): RequestGate {
  const { policy, toolsOf } = parts;
  const subjects = new Map<string, Tool>();
  const subjectOf = (server: string, method: GatedMethod): Tool => {
    const id = toolId(server, method);
    const known = subjects.get(id) ?? toSubject(server, method);
    subjects.set(id, known);
    return known;
  };
  const judge = (tool: Tool, actor: Actor): PolicyDecision => policy.judge({ tool, pin: "same", actor, call: FACTS });

  /**
   * A caller must also be able to call a tool of the server: otherwise a policy that requires scopes for each tool by
   * its name would not protect the resources of the server.
   */
  const refusalOf = ({ actor, server, method }: Pick<GatedRequest, "actor" | "server" | "method">): Refusal => {
    const decision = judge(subjectOf(server, method), actor);
    if (decision.kind !== "allow") return decision;
    let missing: Refusal;
    for (const tool of toolsOf(server)) {
      const one = judge(tool, actor);
      if (one.kind !== "deny" || one.code !== "SCOPE_REQUIRED") return undefined;
      missing ??= one;
    }
    return missing;
  };

  async function take({ server, method, actor }: GatedRequest): Promise<void> {
    const { bucket } = policy.ruling(subjectOf(server, method));
    if (bucket === undefined) return;
    const { name, calls: limit, perMs: windowMs, per } = bucket;
    const window = { bucket: name, actor: per === "actor" ? actor.id : "", limit, windowMs };
    const taken = await parts.rates.take({ ...window, now: Math.floor(parts.steadyNow()) });
    if (taken.kind !== "refused") return;
    const seconds = Math.max(1, Math.ceil(taken.retryAfterMs / 1000));
    throw new DiscoveryError("RATE_LIMITED", `The rate limit "${name}" for ${method} of ${server} is exceeded.`, {
      hint: { action: "retry", afterSeconds: seconds },
      facts: { bucket: name, retry_after_seconds: seconds },
      server,
    });
  }

  return {
    permits: (request) => refusalOf(request) === undefined,
    async run(request, send) {
      const { actor, server, method, params } = request;
      const { audit } = parts;
      const strict = checkJsonValue(params);
      const [from, timestamp, requestId] = [parts.elapsed(), new Date(parts.now()).toISOString(), parts.newId()];
      const record = async (outcome: "ok" | "error", error?: DiscoveryError): Promise<void> => {
        if (audit === undefined) return;
        const isRefused = error !== undefined && error.entry.http < 500 && error.code !== "CANCELLED";
        await audit.record({
          kind: "outcome",
          request_id: requestId,
          timestamp,
          actor_id: actor.id,
          surface: actor.surface,
          tool_id: toolId(server, method),
          params_hash: strict.kind === "value" ? await audit.hash(strict.value) : null,
          risk: policy.ruling(subjectOf(server, method)).risk.risk,
          decision: isRefused ? "refused" : "allowed",
          outcome,
          error_code: error?.code,
          duration_ms: Math.round((parts.elapsed() - from) * 1000) / 1000,
          arguments: params,
        });
      };
      try {
        const refused = refusalOf(request);
        if (refused !== undefined) throw toError(request, refused);
        await take(request);
        await audit?.prepare();
        const answer = await send();
        await record(answer.kind === "error" ? "error" : "ok");
        return answer.result === undefined ? answer : { ...answer, result: flagHiddenText(answer.result) };
      } catch (thrown) {
        const error = parts.secrets.redactError(toDiscoveryError(thrown).about({ server, request_id: requestId }));
        if (error.code !== "AUDIT_UNAVAILABLE") await record("error", error);
        throw error;
      }
    },
  };
}

type Refusal = Exclude<PolicyDecision, { kind: "allow" }> | undefined;

const FACTS = { hasKey: true, confirmed: false, canAsk: false, dryRun: false } as const;

/** What the policy judges. Reading is of low risk unless the configuration says otherwise. */
function toSubject(server: string, method: GatedMethod): Tool {
  return {
    id: toolId(server, method),
    server,
    name: method,
    definition: { name: method, inputSchema: { type: "object" } },
    hash: "",
    enabled: true,
    tags: [],
    file: { id: method, risk: "low" },
  };
}

function toError({ server, method }: GatedRequest, decision: NonNullable<Refusal>): DiscoveryError {
  if (decision.kind === "deny") {
    const missing = decision.missing === undefined ? {} : { missing_scopes: decision.missing };
    const { code, reason, hint, cause } = decision;
    return new DiscoveryError(code, reason, { hint, facts: missing, server, cause });
  }
  const reason = `The policy requires a confirmation for ${method} of ${server}, and only tool calls can be confirmed.`;
  return new DiscoveryError("POLICY_DENIED", reason, {
    hint: "Use a tool of the server, or ask the user.",
    server,
  });
}
