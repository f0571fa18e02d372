// A second implementation of the policy specification, independent of the gateway: documents in, a verdict out.
// It covers five tools of two servers, a rate window that never ends, and sequential callers.

export type Risk = "low" | "medium" | "high" | "destructive";
const RISKS: readonly Risk[] = ["low", "medium", "high", "destructive"];

export interface ModelTool {
  readonly annotations: {
    readonly readOnlyHint?: true;
    readonly destructiveHint?: true;
    readonly idempotentHint?: true;
  };
}

interface About {
  readonly tools?: string | readonly string[];
  readonly server?: string;
}

/** As in the configuration. */
export interface ModelConfig {
  readonly toolRules?: readonly {
    readonly pattern: string | readonly string[];
    readonly server?: string;
    readonly enabled?: boolean;
  }[];
  readonly policy: {
    readonly preset?: "default" | "strict";
    readonly pinning: "off";
    readonly risk?: readonly (About & { readonly risk: Risk })[];
    readonly distrust?: readonly string[];
    readonly confirmation?: { readonly mode?: "auto" | "human" | "never"; readonly from?: Risk };
    readonly idempotency?: { readonly requiredFrom: { readonly elsewhere: Risk | "never" } };
    readonly localScopes?: readonly string[];
    readonly scopes?: readonly (About & { readonly required_scopes: readonly string[] })[];
    readonly buckets?: Readonly<Record<string, { readonly calls: number; readonly perSeconds: number }>>;
    readonly rateLimits?: readonly (About & { readonly rate_limit_bucket: string })[];
  };
}

export interface ModelCall {
  readonly server: string;
  readonly tool: string;
  /** The arguments, and whether they are valid. */
  readonly id: string;
  readonly fits: boolean;
  readonly key?: string;
  readonly confirmed?: boolean;
  readonly dryRun?: boolean;
}

/** `ran`, `dry`, `replay`, or an error code. */
export type Verdict = string;

export function createModel(
  config: ModelConfig,
  servers: Readonly<Record<string, Readonly<Record<string, ModelTool>>>>,
) {
  const { policy, toolRules = [] } = config;
  const isStrict = policy.preset === "strict";
  const mode = policy.confirmation?.mode ?? (isStrict ? "human" : "auto");
  const from = policy.confirmation?.from ?? (isStrict ? "high" : "destructive");
  const keyFrom = policy.idempotency?.requiredFrom.elsewhere ?? (isStrict ? "high" : "never");
  const taken = new Map<string, number>();
  const waiting = new Set<string>();
  const answered = new Map<string, string>();

  const isAbout = ({ tools, server }: About, call: ModelCall): boolean => {
    if (server !== undefined && !matches(server, call.server)) return false;
    return tools === undefined || matchesAny([tools].flat(), call, server !== undefined);
  };

  const isEnabled = (call: ModelCall): boolean => {
    const applying = toolRules.filter(({ pattern, server }) =>
      isAbout({ tools: pattern, ...(server && { server }) }, call),
    );
    const decided = applying.find(({ enabled }) => enabled !== undefined)?.enabled;
    return decided ?? !toolRules.some(({ enabled }) => enabled === true);
  };

  /** With whether the risk comes from anything other than a guess. */
  const riskOf = (call: ModelCall): { risk: Risk; isStated: boolean } => {
    const written = policy.risk?.find((entry) => isAbout(entry, call));
    if (written !== undefined) return { risk: written.risk, isStated: true };
    const { readOnlyHint, destructiveHint } = servers[call.server]?.[call.tool]?.annotations ?? {};
    if (destructiveHint === true) return { risk: "destructive", isStated: true };
    const isBelieved =
      policy.distrust === undefined ? !isStrict : !policy.distrust.some((name) => matches(name, call.server));
    if (readOnlyHint === true && isBelieved) return { risk: "low", isStated: true };
    return { risk: "high", isStated: false };
  };

  const lacksScope = (call: ModelCall): boolean => {
    const needed = (policy.scopes ?? [])
      .filter((entry) => isAbout(entry, call))
      .flatMap((entry) => entry.required_scopes);
    const has = policy.localScopes ?? ["*"];
    return needed.some(
      (scope) =>
        !has.some((one) => one === "*" || one === scope || (one.endsWith(":*") && scope.startsWith(one.slice(0, -1)))),
    );
  };

  return (call: ModelCall): Verdict => {
    const tools = servers[call.server];
    if (tools === undefined) return "SERVER_NOT_FOUND";
    if (tools[call.tool] === undefined) return "TOOL_NOT_FOUND";
    if (!isEnabled(call)) return "TOOL_DISABLED";
    if (lacksScope(call)) return "SCOPE_REQUIRED";
    const { risk, isStated } = riskOf(call);
    if (isStrict && !isStated) return "POLICY_DENIED";
    const name = `${call.server}:${call.tool}`;
    const question = `${name} ${call.id}`;
    const key = call.key === undefined ? undefined : `${name} ${call.key}`;
    const known = key === undefined ? undefined : answered.get(key);
    const isAsked = mode !== "never" && isAtLeast(risk, from) && known === undefined;
    const hasYes = isAsked && mode === "auto" && call.confirmed === true && waiting.has(question) && call.fits;
    if (isAsked && !hasYes) {
      const isOpened = call.fits && call.dryRun !== true;
      if (isOpened) waiting.add(question);
      return call.fits && call.dryRun === true ? limit(call, "dry") : "CONFIRMATION_REQUIRED";
    }
    if (keyFrom !== "never" && risk !== "low" && isAtLeast(risk, keyFrom) && key === undefined)
      return "IDEMPOTENCY_REQUIRED";
    if (!call.fits) return "TOOL_VALIDATION_ERROR";
    if (known !== undefined)
      return known === call.id ? (call.dryRun === true ? "dry" : "replay") : "IDEMPOTENCY_CONFLICT";
    if (call.dryRun === true) return limit(call, "dry");
    const verdict = limit(call, "ran");
    if (verdict !== "ran") return verdict;
    if (hasYes) waiting.delete(question);
    if (key !== undefined) answered.set(key, call.id);
    return "ran";
  };

  function limit(call: ModelCall, verdict: "ran" | "dry"): Verdict {
    const bucket = policy.rateLimits?.find((entry) => isAbout(entry, call))?.rate_limit_bucket;
    if (bucket === undefined) return verdict;
    const used = taken.get(bucket) ?? 0;
    if (used >= (policy.buckets?.[bucket]?.calls ?? 0)) return "RATE_LIMITED";
    if (verdict === "ran") taken.set(bucket, used + 1);
    return verdict;
  }
}

const isAtLeast = (risk: Risk, least: Risk): boolean => RISKS.indexOf(risk) >= RISKS.indexOf(least);

/** One pattern must match and none may exclude; exclusions alone match everything else. */
function matchesAny(patterns: readonly string[], call: ModelCall, nameOnly: boolean): boolean {
  const names = nameOnly ? [call.tool] : [call.tool, `${call.server}:${call.tool}`];
  const fits = (pattern: string): boolean => names.some((name) => matches(pattern, name));
  const wanted = patterns.filter((pattern) => !pattern.startsWith("!"));
  const unwanted = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  return (wanted.length === 0 || wanted.some(fits)) && !unwanted.some(fits);
}

function matches(glob: string, name: string): boolean {
  const words = glob.split("*").map((word) => word.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${words.join(".*")}$`, "is").test(name);
}
