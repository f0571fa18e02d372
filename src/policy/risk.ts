// Assesses the risk of a tool and reports which source declared it. The risk does not depend on the caller.
import type { JsonObject } from "../model/json.js";
import { type EffectEvidence, findEvidence } from "./evidence/evidence.js";
import type { Effect } from "./evidence/lexicon.js";

/** The risk levels, from harmless to irreversible. */
export const RISKS = ["low", "medium", "high", "destructive"] as const;
export type Risk = (typeof RISKS)[number];

export interface RiskOrigin {
  /**
   * The source of the risk. `method`: the HTTP request of the tool, with its name. `evidence`: the name or the
   * description that the server gives to the tool. `default`: there is no source, or only one that does not count.
   */
  readonly kind: "config" | "tool-file" | "adapter" | "annotations" | "method" | "evidence" | "default";
  /** The source and what it declares, as text for users. */
  readonly detail: string;
}

export interface AssessedRisk {
  readonly risk: Risk;
  readonly origin: RiskOrigin;
}

/** What each source says about the risk of a tool. */
export interface RiskFacts {
  /** The first entry of `policy.risk` that matches the tool. `entry` is its index, counted from 0. */
  readonly override?: { readonly entry: number; readonly risk: Risk } | undefined;
  /** The risk that the tool file or the adapter declares. An unknown value counts as the highest risk. */
  readonly declared?: { readonly by: "tool-file" | "adapter"; readonly risk: string } | undefined;
  readonly annotations?: JsonObject | undefined;
  /** Whether the server is distrusted: its annotations cannot lower the risk. */
  readonly isDistrusted: boolean;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** The HTTP method and the path template, if the tool represents an HTTP request. */
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  /** The risk that applies if no source declares one. */
  readonly unknownRisk: Risk;
}

export function isRisk(value: unknown): value is Risk {
  return RISKS.some((risk) => risk === value);
}

/** Whether `risk` is at least `from`. An unknown value counts as the highest risk. */
export function isAtLeast(risk: Risk, from: Risk): boolean {
  return !isRisk(risk) || RISKS.indexOf(risk) >= RISKS.indexOf(from);
}

/**
 * Returns the risk from the first source that says something: the configuration, the tool file or the adapter, the
 * annotations, then the evidence in the name, the description and the HTTP request.
 */
export function assessRisk(facts: RiskFacts): AssessedRisk {
  const stated = fromOverride(facts) ?? fromDeclaration(facts);
  if (stated !== undefined) return stated;
  const evidence = findEvidence({ ...facts, name: facts.name ?? "" });
  return fromAnnotations(facts, evidence) ?? fromEvidence(facts, evidence) ?? fromDefault(facts);
}

function fromOverride({ override }: RiskFacts): AssessedRisk | undefined {
  if (override === undefined) return undefined;
  return { risk: override.risk, origin: { kind: "config", detail: `policy.risk, entry ${override.entry + 1}` } };
}

function fromDeclaration({ declared }: RiskFacts): AssessedRisk | undefined {
  if (declared === undefined) return undefined;
  const source = declared.by === "adapter" ? "the adapter" : "the tool file";
  if (isRisk(declared.risk))
    return { risk: declared.risk, origin: { kind: declared.by, detail: `declared by ${source}` } };
  return { risk: "destructive", origin: { kind: "default", detail: `${source} declares an unknown risk` } };
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
/** The values that the MCP specification gives to hints that are absent. */
const DEFAULT_HINTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/**
 * Whether all four hints are present with their default values. Libraries send them if the author of the tool said
 * nothing: mcp-go (`NewTool`) and Spring AI do.
 */
function isUntouched(annotations: JsonObject): boolean {
  return HINTS.every((hint) => annotations[hint] === DEFAULT_HINTS[hint]);
}

/** Whether the annotations say that the tool only reads. */
function saysReadOnly(annotations: JsonObject): boolean {
  if (annotations["readOnlyHint"] !== true) return false;
  // With a library that sends all hints, an author who declares a tool as read-only leaves `destructiveHint` at true.
  return annotations["destructiveHint"] !== true || isUntouched({ ...annotations, readOnlyHint: false });
}

/** What a name cannot say about a tool that only reads. */
const CONTRADICTIONS: ReadonlySet<Effect> = new Set([
  "stop",
  "deploy",
  "send",
  "permission",
  "execute",
  "delete",
  "money",
]);

/**
 * The risk from MCP annotations. Only explicit annotations count: by MCP's default values (2025-03-26 and later), every
 * tool without annotations would be destructive. Annotations of a distrusted server never lower the risk. If a tool is
 * declared as read-only and its name contradicts that, the name decides.
 */
function fromAnnotations(
  { annotations, isDistrusted }: RiskFacts,
  evidence?: EffectEvidence,
): AssessedRisk | undefined {
  if (annotations === undefined || isUntouched(annotations)) return undefined;
  if (annotations["destructiveHint"] === true && !saysReadOnly(annotations)) {
    return { risk: "destructive", origin: { kind: "annotations", detail: "the server says destructiveHint: true" } };
  }
  if (!saysReadOnly(annotations) || isDistrusted) return undefined;
  if (evidence?.from === "name" && evidence.isQuery !== true && CONTRADICTIONS.has(evidence.action)) {
    const detail = `the server says readOnlyHint: true, but ${evidence.says}`;
    return { risk: RISK_OF[evidence.action], origin: { kind: "evidence", detail } };
  }
  return { risk: "low", origin: { kind: "annotations", detail: "the server says readOnlyHint: true" } };
}

const RISK_OF: Readonly<Record<Effect, Risk>> = {
  read: "low",
  change: "medium",
  act: "high",
  stop: "high",
  deploy: "high",
  send: "high",
  permission: "high",
  execute: "destructive",
  delete: "destructive",
  money: "destructive",
};

/** The risk from the words of the tool. The words of a distrusted server can raise the risk, but not lower it. */
function fromEvidence(facts: RiskFacts, evidence: EffectEvidence | undefined): AssessedRisk | undefined {
  const { annotations = {}, isDistrusted, method, unknownRisk } = facts;
  const isSaid = !isUntouched(annotations);
  if (evidence === undefined) {
    // A server that says that its tool destroys nothing says more than no word at all.
    if (!isSaid || annotations["destructiveHint"] !== false || isDistrusted) return undefined;
    return { risk: "medium", origin: { kind: "annotations", detail: "the server says destructiveHint: false" } };
  }
  const risk = RISK_OF[evidence.action];
  if (isDistrusted && method === undefined) {
    if (!isAtLeast(risk, unknownRisk)) return undefined;
    return { risk, origin: { kind: "default", detail: `${evidence.says}, and the server is not trusted` } };
  }
  if (risk === "low" && isSaid && annotations["readOnlyHint"] === false) {
    const detail = `${evidence.says}, but the server says readOnlyHint: false`;
    return { risk: "medium", origin: { kind: "annotations", detail } };
  }
  return { risk, origin: { kind: method === undefined ? "evidence" : "method", detail: evidence.says } };
}

function fromDefault({ annotations, isDistrusted, unknownRisk }: RiskFacts): AssessedRisk {
  const isIgnored = isDistrusted && annotations?.["readOnlyHint"] === true;
  const detail = isIgnored
    ? "the server says readOnlyHint: true and is not trusted"
    : "no risk is declared, and the tool's texts do not tell";
  return { risk: unknownRisk, origin: { kind: "default", detail } };
}
