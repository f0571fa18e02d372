// Compares a registry file with the live catalog and reports all differences.
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Operation } from "./operation.js";
import { SCHEMA_VERSION } from "./registry.js";
import { isEqualJson } from "../util/json/is-equal.js";

/** What the live catalog says about one tool id. */
export type LiveOperation =
  | { readonly kind: "operation"; readonly operation: Operation }
  /** The tool or adapter does not exist, or the tool is disabled. */
  | { readonly kind: "absent"; readonly reason: string }
  /** The tools of the adapter are not known yet, so the id cannot be checked. */
  | { readonly kind: "unknown" };

/** A problem in a registry file: it is unreadable or incomplete, or it differs from the catalog. */
export interface Finding {
  /** The id of the operation; absent if the finding concerns the whole registry. */
  readonly tool_id?: string;
  readonly check: "readable" | "exists" | "fields" | "risk" | "agrees" | "count";
  readonly reason: string;
}

export interface LiveCatalog {
  readonly find: (id: string) => LiveOperation;
}

/** The maximum number of reported findings: the same problem often affects many operations. */
const MAX_FINDINGS = 100;

/**
 * Returns all problems of a registry file. If there are none, everything in the file is correct. Operations that only
 * the catalog has are not reported.
 */
export function checkRegistry(document: unknown, live: LiveCatalog): Finding[] {
  if (!isJsonObject(document) || !isJsonObject(document["operations"])) {
    return [{ check: "readable", reason: "it is not a registry: it has no object `operations`" }];
  }
  const entries = Object.entries(document["operations"]);
  const findings = [...checkHead(document, entries.length)];
  for (const [id, entry] of entries) {
    if (findings.length >= MAX_FINDINGS) break;
    findings.push(...checkEntry(id, entry, live.find(id)));
  }
  return findings;
}

function checkHead(document: JsonObject, count: number): Finding[] {
  const { schema_version: version, last_verified_at: verified, operation_count: stated } = document;
  const findings: Finding[] = [];
  if (typeof version !== "string" || version.split(".")[0] !== SCHEMA_VERSION.split(".")[0]) {
    findings.push({ check: "fields", reason: `schema_version is not ${SCHEMA_VERSION}` });
  }
  if (typeof verified !== "string" || Number.isNaN(Date.parse(verified))) {
    findings.push({ check: "fields", reason: "last_verified_at is not a valid time" });
  }
  if (stated !== count) {
    findings.push({ check: "count", reason: `operation_count is not ${count}, the number of its operations` });
  }
  return findings;
}

const FIELDS: readonly (readonly [name: keyof Operation, isValid: (value: unknown) => boolean])[] = [
  ["adapter", isText],
  ["tool", isText],
  ["description", (value) => typeof value === "string"],
  ["tags", isTexts],
  ["input_schema", isJsonObject],
  ["required_params", isTexts],
  ["optional_params", isTexts],
  ["idempotent", isFlag],
  ["reversible", isFlag],
  ["requires_confirmation", isFlag],
];

const RISK_LEVELS = ["low", "medium", "high", "destructive"];

function checkEntry(id: string, entry: unknown, live: LiveOperation): Finding[] {
  if (!isJsonObject(entry)) return [{ tool_id: id, check: "fields", reason: "it is not an object" }];
  const findings: Finding[] = [];
  const wrong = FIELDS.filter(([name, isValid]) => !isValid(entry[name])).map(([name]) => name);
  if (wrong.length > 0)
    findings.push({ tool_id: id, check: "fields", reason: `missing or of the wrong type: ${wrong.join(", ")}` });
  if (!RISK_LEVELS.includes(String(entry["risk_level"])))
    findings.push({ tool_id: id, check: "risk", reason: `risk_level is not one of ${RISK_LEVELS.join(", ")}` });
  if (live.kind === "absent") findings.push({ tool_id: id, check: "exists", reason: live.reason });
  if (live.kind === "operation" && findings.length === 0) findings.push(...compare(id, entry, live.operation));
  return findings;
}

/** The properties of an operation that are compared with the catalog, because callers depend on them. */
const COMPARED: readonly (keyof Operation)[] = [
  "adapter",
  "tool",
  "risk_level",
  "idempotent",
  "requires_confirmation",
  "idempotency_required",
  "confirmation_required",
  "required_scopes",
  "rate_limit_bucket",
  "required_params",
  "optional_params",
  "input_schema",
];

function compare(id: string, entry: JsonObject, operation: Operation): Finding[] {
  const differing = COMPARED.filter((name) => !isEqualJson(entry[name], operation[name]));
  if (differing.length === 0) return [];
  return [{ tool_id: id, check: "agrees", reason: `differs from the live catalog: ${differing.join(", ")}` }];
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

/** A finding as one line: `paystack:refund: no such tool.` */
export function describeFinding({ tool_id: id, reason }: Finding): string {
  return id === undefined ? `${reason}.` : `${id}: ${reason}.`;
}
