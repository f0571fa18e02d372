import { compileGlob } from "../../rules/glob.js";
import { fold } from "../../rules/subject.js";
import type { AuditQuery } from "../../store/audit-records.js";
import type { AuditFilter, ShownRecord } from "./records.js";

/** Which records of the audit log are wanted. */
export interface AuditSelection extends Pick<AuditQuery, "since" | "until" | "actor" | "outcome" | "requestId"> {
  /** The id of a tool, or a pattern such as `github:*`. */
  readonly tool?: string;
  readonly kind?: NonNullable<AuditQuery["kind"]> | "all";
}

/** `withIntents`: intents are wanted too unless one kind is named. @internal */
export function toAuditFilter({ kind, tool, ...rest }: AuditSelection, withIntents = false): AuditFilter {
  const isPattern = tool !== undefined && /[*?[{]/.test(tool);
  const query: AuditQuery = {
    ...rest,
    ...(kind === undefined || kind === "all" ? {} : { kind }),
    ...(tool === undefined || isPattern ? {} : { tool }),
  };
  const isOfTool = isPattern ? toPattern(tool) : () => true;
  const hidesIntents = kind === undefined && rest.requestId === undefined && !withIntents;
  return { query, accepts: (record) => isOfTool(record) && !(hidesIntents && record["kind"] === "intent") };
}

function toPattern(pattern: string): (record: ShownRecord) => boolean {
  const { test } = compileGlob(pattern);
  return ({ tool_id: id }) => typeof id === "string" && test(fold(id));
}
