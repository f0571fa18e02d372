// What is known of a tool comes in, how much harm a call of it can do goes out, with who said so; never who calls.
import type { JsonObject } from "../model/json.js";

/** From harmless to irreversible. */
export const RISKS = ["low", "medium", "high", "destructive"] as const;
export type Risk = (typeof RISKS)[number];

export interface RiskOrigin {
  /** `default`: nobody said anything that counts. */
  readonly kind: "config" | "tool-file" | "adapter" | "annotations" | "method" | "default";
  /** Who said so and how, for people. */
  readonly detail: string;
}

export interface AssessedRisk {
  readonly risk: Risk;
  readonly origin: RiskOrigin;
}

/** What the others say of a tool, as far as they say anything. */
export interface RiskFacts {
  /** The first entry of `policy.risk` that is about the tool, counted from 0. */
  readonly override?: { readonly entry: number; readonly risk: Risk } | undefined;
  /** What the tool file or the adapter states; a word that is no risk counts as the worst. */
  readonly declared?: { readonly by: "tool-file" | "adapter"; readonly risk: string } | undefined;
  readonly annotations?: JsonObject | undefined;
  /** The server's annotations are not believed. */
  readonly isDistrusted: boolean;
  /** Of a tool that stands for an HTTP request. */
  readonly method?: string | undefined;
  /** What to think of a tool of which nobody says anything. */
  readonly unknownRisk: Risk;
}

export function isRisk(value: unknown): value is Risk {
  return RISKS.some((risk) => risk === value);
}

/** A word that is no risk counts as the worst. */
export function isAtLeast(risk: Risk, from: Risk): boolean {
  return !isRisk(risk) || RISKS.indexOf(risk) >= RISKS.indexOf(from);
}

/** The first who says anything decides: the configuration, the tool file or adapter, the annotations, the HTTP method. */
export function assessRisk(facts: RiskFacts): AssessedRisk {
  return (
    fromOverride(facts) ?? fromDeclaration(facts) ?? fromAnnotations(facts) ?? fromMethod(facts) ?? fromNobody(facts)
  );
}

function fromOverride({ override }: RiskFacts): AssessedRisk | undefined {
  if (override === undefined) return undefined;
  return { risk: override.risk, origin: { kind: "config", detail: `policy.risk, entry ${override.entry + 1}` } };
}

function fromDeclaration({ declared }: RiskFacts): AssessedRisk | undefined {
  if (declared === undefined) return undefined;
  const who = declared.by === "adapter" ? "the adapter" : "the tool file";
  if (isRisk(declared.risk)) return { risk: declared.risk, origin: { kind: declared.by, detail: `${who} says so` } };
  return { risk: "destructive", origin: { kind: "default", detail: `${who} states a risk that does not exist` } };
}

/**
 * Only what a server states counts: by MCP's own defaults (2025-03-26 and later) every tool without annotations would
 * be destructive. Nothing that a disbelieved server states makes its tools less risky. A tool that claims to be both
 * read-only and destructive is taken for the worse, though MCP lets the first claim win.
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
  return risk && { risk, origin: { kind: "method", detail: `its HTTP method is ${name}` } };
}

function fromNobody({ annotations, isDistrusted, unknownRisk }: RiskFacts): AssessedRisk {
  const isDisbelieved = isDistrusted && annotations?.["readOnlyHint"] === true;
  const detail = isDisbelieved ? "the server says readOnlyHint: true and is not believed" : "nobody states a risk";
  return { risk: unknownRisk, origin: { kind: "default", detail } };
}
