// Assesses the risk of a tool and reports which source declared it. The risk does not depend on the caller.
import type { JsonObject } from "../model/json.js";

/** The risk levels, from harmless to irreversible. */
export const RISKS = ["low", "medium", "high", "destructive"] as const;
export type Risk = (typeof RISKS)[number];

export interface RiskOrigin {
  /** The source that declared the risk. `default`: no source declares one. */
  readonly kind: "config" | "tool-file" | "adapter" | "annotations" | "method" | "default";
  /** The source and what it declares, as text for users. */
  readonly detail: string;
}

export interface AssessedRisk {
  readonly risk: Risk;
  readonly origin: RiskOrigin;
}

/**
 * What each source (configuration, tool file or adapter, server annotations, HTTP method) declares about the risk of a
 * tool.
 */
export interface RiskFacts {
  /** The first entry of `policy.risk` that matches the tool. `entry` is its index, counted from 0. */
  readonly override?: { readonly entry: number; readonly risk: Risk } | undefined;
  /** The risk that the tool file or the adapter declares. An unknown value counts as the highest risk. */
  readonly declared?: { readonly by: "tool-file" | "adapter"; readonly risk: string } | undefined;
  readonly annotations?: JsonObject | undefined;
  /** Whether the server is distrusted: its annotations cannot lower the risk. */
  readonly isDistrusted: boolean;
  /** The HTTP method, if the tool represents an HTTP request. */
  readonly method?: string | undefined;
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
 * Returns the risk from the first source that declares one: configuration, tool file or adapter, annotations, HTTP
 * method.
 */
export function assessRisk(facts: RiskFacts): AssessedRisk {
  return (
    fromOverride(facts) ?? fromDeclaration(facts) ?? fromAnnotations(facts) ?? fromMethod(facts) ?? fromDefault(facts)
  );
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

/**
 * The risk from MCP annotations. Only explicit annotations count: by MCP's default values (2025-03-26 and later), every
 * tool without annotations would be destructive. Annotations of a distrusted server never lower the risk. A tool that
 * is both read-only and destructive counts as destructive, although MCP gives priority to read-only.
 */
function fromAnnotations({ annotations, isDistrusted }: RiskFacts): AssessedRisk | undefined {
  if (annotations?.["destructiveHint"] === true) {
    return { risk: "destructive", origin: { kind: "annotations", detail: "the server says destructiveHint: true" } };
  }
  if (annotations?.["readOnlyHint"] !== true || isDistrusted) return undefined;
  return { risk: "low", origin: { kind: "annotations", detail: "the server says readOnlyHint: true" } };
}

const METHODS: ReadonlyMap<string, Risk> = new Map([
  ["GET", "low"],
  ["HEAD", "low"],
  ["OPTIONS", "low"],
  ["POST", "medium"],
  ["PUT", "medium"],
  ["PATCH", "medium"],
  ["DELETE", "destructive"],
]);

function fromMethod({ method }: RiskFacts): AssessedRisk | undefined {
  const name = method?.toUpperCase() ?? "";
  const risk = METHODS.get(name);
  return risk && { risk, origin: { kind: "method", detail: `the HTTP method is ${name}` } };
}

function fromDefault({ annotations, isDistrusted, unknownRisk }: RiskFacts): AssessedRisk {
  const isIgnored = isDistrusted && annotations?.["readOnlyHint"] === true;
  const detail = isIgnored ? "the server says readOnlyHint: true and is not trusted" : "no risk is declared";
  return { risk: unknownRisk, origin: { kind: "default", detail } };
}
