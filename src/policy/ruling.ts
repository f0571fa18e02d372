// Compiles the policy options into a function that returns the ruling on a tool, independent of the caller. Pattern
// matching is injected.
import type { JsonObject } from "../model/json.js";
import type { PolicyOptions } from "./options.js";
import { type AssessedRisk, assessRisk, type RiskFacts } from "./risk.js";

/** Selects tools with the same keys as an entry of `toolRules`. */
export interface Selector {
  readonly pattern: string[];
  readonly server?: string | undefined;
}

/** Returns the indexes of the entries that match the tool, in ascending order. */
export type Select = (tool: { readonly server: string; readonly name: string }) => readonly number[];

/**
 * Compiles selectors to a matching function. It is injected, because `src/policy` must not import `src/rules`, which
 * implements the patterns.
 */
export type CompileSelectors = (selectors: readonly Selector[]) => Promise<Select>;

export interface PolicySubject {
  readonly server: string;
  readonly name: string;
  readonly annotations?: JsonObject | undefined;
  readonly declared?: RiskFacts["declared"];
  readonly description?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  /** Whether the tool can run twice without harm; undefined if no source declares it. */
  readonly idempotent?: boolean | undefined;
  /**
   * How the tool accepts idempotency keys, from its `_meta`: `true` for keys in `_meta`, or the name of an argument.
   */
  readonly takesKey?: unknown;
  /** Whether the tool declares that a user must confirm each call. */
  readonly needsPerson?: boolean | undefined;
  /** Scopes that the tool itself declares as required. */
  readonly requiredScopes?: readonly string[];
}

/** Whether the tool may run twice, and how the server receives a call's idempotency key. */
export interface KeyRuling {
  /** Whether the tool may run again if it is unknown whether it ran. */
  readonly isIdempotent: boolean;
  /** Where the idempotency key is sent: `_meta`, or the name of an argument. Undefined if it is not sent. */
  readonly sendAs?: string;
  /** Whether the server receives the key as the caller wrote it, instead of a key derived from it. */
  readonly isSentUnchanged?: boolean;
}

/** What the policy says about a tool for all callers. It depends only on the tool's definition, so it can be cached. */
export interface Ruling {
  readonly risk: AssessedRisk;
  readonly scopes: readonly string[];
  readonly key: KeyRuling;
  readonly bucket?: RateBucket;
  /** Set if a user must confirm each call, at any risk and in any confirmation mode. */
  readonly needsPerson?: true;
}

/** A rate limit: at most `calls` calls in any time span of `perMs` milliseconds. */
export interface RateBucket {
  readonly name: string;
  readonly per: "actor" | "everyone";
  readonly calls: number;
  readonly perMs: number;
}

export type Rule = (tool: PolicySubject) => Ruling;

export async function compileRuling(options: PolicyOptions, compile: CompileSelectors): Promise<Rule> {
  const [risks, distrusted, scopes, rates, keys] = await Promise.all([
    compile(options.risk.map(toSelector)),
    compile(options.distrust.map((server) => ({ pattern: ["*"], server }))),
    compile(options.scopes.map(toSelector)),
    compile(options.rateLimits.map(toSelector)),
    compile(options.idempotency.tools.map(toSelector)),
  ]);
  return (tool) => {
    const bucket = toBucket(options, rates(tool)[0]);
    const trust = trustOf(options, distrusted(tool));
    const risk = assessRisk({ ...tool, ...overrideOf(options, risks(tool)[0]), ...trust });
    // A read-only tool may be repeated, unless another source declares a risk above `low`.
    const isReadOnly = risk.risk === "low" && tool.annotations?.["readOnlyHint"] === true;
    const known = trust.isDistrusted ? { server: tool.server, name: tool.name } : { ...tool, ...byMethod(tool, risk) };
    return {
      risk,
      key: toKeyRuling(options, keys(tool), { ...known, isReadOnly: isReadOnly && !trust.isDistrusted }),
      scopes: [
        ...new Set([
          ...(tool.requiredScopes ?? []),
          ...scopes(tool).flatMap((entry) => options.scopes[entry]?.required_scopes ?? []),
        ]),
      ],
      ...(bucket === undefined ? {} : { bucket }),
      ...(tool.needsPerson === true ? { needsPerson: true } : {}),
    };
  };
}

/** HTTP methods that are idempotent according to RFC 9110. */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether the HTTP method makes the tool idempotent. A GET that does something, such as "pause", is not idempotent. */
function byMethod(
  { idempotent, method = "" }: PolicySubject,
  { risk, origin }: AssessedRisk,
): Pick<PolicySubject, "idempotent"> {
  if (idempotent !== undefined || !IDEMPOTENT_METHODS.has(method)) return {};
  const acts = READING_METHODS.has(method) && origin.kind === "method" && risk !== "low";
  return acts ? {} : { idempotent: true };
}

function toSelector({
  tools = "*",
  server,
}: {
  tools?: string | string[] | undefined;
  server?: string | undefined;
}): Selector {
  return { pattern: typeof tools === "string" ? [tools] : tools, server };
}

function overrideOf({ risk }: PolicyOptions, entry: number | undefined): Pick<RiskFacts, "override"> {
  const found = entry === undefined ? undefined : risk[entry];
  return found === undefined || entry === undefined ? {} : { override: { entry, risk: found.risk } };
}

function trustOf(
  { preset }: PolicyOptions,
  distrusted: readonly number[],
): Pick<RiskFacts, "isDistrusted" | "unknownRisk"> {
  return { isDistrusted: distrusted.length > 0, unknownRisk: preset === "strict" ? "destructive" : "high" };
}

/**
 * Decides whether the tool may run twice, and where the idempotency key is sent. A server that accepts the key prevents
 * a second execution itself. Declarations of a distrusted server do not count.
 */
function toKeyRuling(
  { idempotency }: PolicyOptions,
  entries: readonly number[],
  tool: PolicySubject & { readonly isReadOnly: boolean },
): KeyRuling {
  const stated = entries.flatMap((entry) => idempotency.tools[entry] ?? []);
  const { annotations, takesKey } = tool;
  const declared = takesKey === true ? "_meta" : typeof takesKey === "string" && takesKey !== "" ? takesKey : undefined;
  const sendAs = stated.find((entry) => entry.sendKeyAs !== undefined)?.sendKeyAs ?? declared;
  const isHarmless = annotations?.["idempotentHint"] === true || tool.isReadOnly;
  const isIdempotent =
    stated.find((entry) => entry.idempotent !== undefined)?.idempotent ??
    tool.idempotent ??
    (isHarmless || sendAs !== undefined);
  const isSentUnchanged = stated.find((entry) => entry.sendKeyUnchanged !== undefined)?.sendKeyUnchanged ?? false;
  return {
    isIdempotent,
    ...(sendAs === undefined ? {} : { sendAs }),
    ...(isSentUnchanged ? { isSentUnchanged } : {}),
  };
}

function toBucket({ rateLimits, buckets }: PolicyOptions, entry: number | undefined): RateBucket | undefined {
  const name = entry === undefined ? undefined : rateLimits[entry]?.rate_limit_bucket;
  const found = name === undefined ? undefined : buckets[name];
  if (name === undefined || found === undefined) return undefined;
  return { name, per: found.per, calls: found.calls, perMs: found.perSeconds * 1000 };
}
