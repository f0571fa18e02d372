// Two definitions of a tool come in; how much the second may break and what differs, in lines for people, go out.
import type { JsonObject } from "../../model/json.js";
import type { ToolDefinition } from "../../model/tool.js";
import { compareSchemas } from "./compare-schemas.js";
import { Findings } from "./findings.js";
import { isEqual } from "./keyword-effect.js";
import { shownName, shownValue, textDifference } from "./text-difference.js";
import type { ChangeKind } from "./versions.js";
import { membersOf } from "./without-texts.js";

export interface DefinitionChange {
  readonly kind: ChangeKind;
  readonly differences: readonly string[];
}

/**
 * `patch`: only what people read. `minor`: every call that was right still is, and every answer still is what was promised.
 * `major`: anything else, and whatever cannot be shown to be less.
 */
export function compareDefinitions(before: ToolDefinition, after: ToolDefinition): DefinitionChange {
  const findings = new Findings();
  if (before.name !== after.name) findings.add("major", `name: ${shownName(before.name)} → ${shownName(after.name)}`);
  for (const member of ["title", "description"] as const) {
    if (before[member] !== after[member]) {
      findings.add("patch", `${member}: ${textDifference(before[member], after[member])}`);
    }
  }
  compareSchemas({ before: before.inputSchema, after: after.inputSchema, role: "input" }, findings);
  compareOutputs(before.outputSchema, after.outputSchema, findings);
  compareAnnotations(membersOf(before.annotations), membersOf(after.annotations), findings);
  if (findings.kind === "same" && !isEqual(before.annotations, after.annotations)) {
    findings.add("patch", `annotations: ${shownValue(before.annotations)} → ${shownValue(after.annotations)}`);
  }
  return { kind: findings.kind, differences: findings.lines() };
}

function compareOutputs(before: JsonObject | undefined, after: JsonObject | undefined, findings: Findings): void {
  if (before === undefined && after === undefined) return;
  if (before === undefined) findings.add("minor", "+ output schema");
  else if (after === undefined) findings.add("major", "- output schema");
  else compareSchemas({ before, after, role: "output" }, findings);
}

function compareAnnotations(before: JsonObject, after: JsonObject, findings: Findings): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[name], after[name]];
    if (isEqual(old, now)) continue;
    const kind = isMoreDangerous(name, old, now) ? "major" : "patch";
    findings.add(kind, `annotation ${shownName(name)}: ${shownValue(old)} → ${shownValue(now)}`);
  }
}

/** The protocol takes a tool that says nothing for one that may destroy and must not be repeated. */
function isMoreDangerous(name: string, before: unknown, after: unknown): boolean {
  if (name === "readOnlyHint" || name === "idempotentHint") return before === true && after !== true;
  return name === "destructiveHint" && (after === true || before === false);
}
