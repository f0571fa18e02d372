// The policy's options come in, what they say of a tool whoever calls it goes out; how patterns match is not known here.
import type { JsonObject } from "../model/json.js";
import type { PolicyOptions } from "./options.js";
import { type AssessedRisk, assessRisk, type RiskFacts } from "./risk.js";

/** What an entry is about, in the words of `toolRules`. */
export interface Selector {
  readonly pattern: string[];
  readonly server?: string | undefined;
}

/** The places of the entries that are about the tool, in order. */
export type Select = (tool: { readonly server: string; readonly name: string }) => readonly number[];

/** The pattern language belongs to the rules; whoever introduces the stages to each other brings it along. */
export type CompileSelectors = (selectors: readonly Selector[]) => Promise<Select>;

export interface RuledTool {
  readonly server: string;
  readonly name: string;
  readonly annotations?: JsonObject | undefined;
  readonly declared?: RiskFacts["declared"];
  readonly method?: string | undefined;
  /** Whether it may run twice without harm, where somebody says so or not. */
  readonly idempotent?: boolean | undefined;
  /** What the tool says of idempotency keys in its `_meta`: `true`, or the name of the argument that takes one. */
  readonly takesKey?: unknown;
  /** The tool says that a person has to agree to each call. */
  readonly needsPerson?: boolean | undefined;
  /** Scopes that the tool itself wants its callers to have. */
  readonly requiredScopes?: readonly string[];
}

/** What becomes of a call's idempotency key beyond our own books. */
export interface KeyRuling {
  /** The tool may run again when nobody knows whether it ran. */
  readonly isIdempotent: boolean;
  /** `_meta`, or the argument that takes the key. */
  readonly sendAs?: string;
}

/** What the policy says of a tool, whoever calls it. Depends on the tool's definition alone, so it can be kept. */
export interface Ruling {
  readonly risk: AssessedRisk;
  /** All of them are required. */
  readonly scopes: readonly string[];
  readonly key: KeyRuling;
  readonly bucket?: Bucket;
  /** Each call has to be confirmed by a person, whatever its risk and whatever the mode of confirmation. */
  readonly needsPerson?: true;
}

/** No more than `calls` in any span of `perMs`. */
export interface Bucket {
  readonly name: string;
  readonly per: "actor" | "everyone";
  readonly calls: number;
  readonly perMs: number;
}

export type Rule = (tool: RuledTool) => Ruling;

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
    // What only reads may be repeated; not what somebody else says does more than that.
    const isReader = risk.risk === "low" && tool.annotations?.["readOnlyHint"] === true;
    const known = trust.isDistrusted ? { server: tool.server, name: tool.name } : tool;
    return {
      risk,
      key: toKeyRuling(options, keys(tool), { ...known, isReader: isReader && !trust.isDistrusted }),
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

/** A server that takes the key itself sees to it that nothing happens twice. What a disbelieved server says counts for nothing. */
function toKeyRuling(
  { idempotency }: PolicyOptions,
  entries: readonly number[],
  tool: RuledTool & { readonly isReader: boolean },
): KeyRuling {
  const stated = entries.flatMap((entry) => idempotency.tools[entry] ?? []);
  const { annotations, takesKey } = tool;
  const declared = takesKey === true ? "_meta" : typeof takesKey === "string" && takesKey !== "" ? takesKey : undefined;
  const sendAs = stated.find((entry) => entry.sendKeyAs !== undefined)?.sendKeyAs ?? declared;
  const isHarmless = annotations?.["idempotentHint"] === true || tool.isReader;
  const isIdempotent =
    stated.find((entry) => entry.idempotent !== undefined)?.idempotent ??
    tool.idempotent ??
    (isHarmless || sendAs !== undefined);
  return { isIdempotent, ...(sendAs === undefined ? {} : { sendAs }) };
}

function toBucket({ rateLimits, buckets }: PolicyOptions, entry: number | undefined): Bucket | undefined {
  const name = entry === undefined ? undefined : rateLimits[entry]?.rate_limit_bucket;
  const found = name === undefined ? undefined : buckets[name];
  if (name === undefined || found === undefined) return undefined;
  return { name, per: found.per, calls: found.calls, perMs: found.perSeconds * 1000 };
}
