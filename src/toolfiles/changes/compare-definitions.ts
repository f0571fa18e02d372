// Compares two definitions of a tool. Returns the kind of change (semantic versioning) and the differences as lines of
// text.
import type { JsonObject } from "../../model/json.js";
import type { ToolDefinition } from "../../model/tool.js";
import { isEqualJson } from "../../util/json/is-equal.js";
import { summarizeDifference } from "../../util/text-difference.js";
import { compareSchemas } from "./compare-schemas.js";
import { ChangeFindings } from "./findings.js";
import { shownName, shownValue } from "./shown-text.js";
import type { ChangeKind } from "./versions.js";
import { membersOf } from "./without-texts.js";

export interface DefinitionChange {
  readonly kind: ChangeKind;
  readonly differences: readonly string[];
}

/**
 * `patch`: only titles, descriptions and examples changed. `minor`: every valid call remains valid, and every result
 * still matches the old output schema. `major`: everything else, and every change that cannot be proven to be smaller.
 */
export function compareDefinitions(before: ToolDefinition, after: ToolDefinition): DefinitionChange {
  const findings = new ChangeFindings();
  if (before.name !== after.name) findings.add("major", `name: ${shownName(before.name)} → ${shownName(after.name)}`);
  for (const member of ["title", "description"] as const) {
    if (before[member] !== after[member]) {
      findings.add("patch", `${member}: ${summarizeDifference(before[member], after[member])}`);
    }
  }
  compareSchemas({ before: before.inputSchema, after: after.inputSchema, role: "input" }, findings);
  compareOutputs(before.outputSchema, after.outputSchema, findings);
  compareAnnotations(membersOf(before.annotations), membersOf(after.annotations), findings);
  if (findings.kind === "same" && !isEqualJson(before.annotations, after.annotations)) {
    findings.add("patch", `annotations: ${shownValue(before.annotations)} → ${shownValue(after.annotations)}`);
  }
  return { kind: findings.kind, differences: findings.lines() };
}

function compareOutputs(before: JsonObject | undefined, after: JsonObject | undefined, findings: ChangeFindings): void {
  if (before === undefined && after === undefined) return;
  if (before === undefined) findings.add("minor", "+ output schema");
  else if (after === undefined) findings.add("major", "- output schema");
  else compareSchemas({ before, after, role: "output" }, findings);
}

function compareAnnotations(before: JsonObject, after: JsonObject, findings: ChangeFindings): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[name], after[name]];
    if (isEqualJson(old, now)) continue;
    const kind = isMoreDangerous(name, old, now) ? "major" : "patch";
    findings.add(kind, `annotation ${shownName(name)}: ${shownValue(old)} → ${shownValue(now)}`);
  }
}

/**
 * Whether a changed annotation makes the tool more dangerous. By the MCP specification, a tool without annotations may
 * be destructive and not idempotent.
 */
function isMoreDangerous(name: string, before: unknown, after: unknown): boolean {
  if (name === "readOnlyHint" || name === "idempotentHint") return before === true && after !== true;
  return name === "destructiveHint" && (after === true || before === false);
}
