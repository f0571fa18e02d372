import { compileGlob } from "../../rules/glob.js";
import type { AuditQuery } from "../../store/audit-records.js";
import { foldName } from "../../util/fold-name.js";
import type { AuditFilter, ShownRecord } from "./records.js";

/** Selects records of the audit log. */
export interface AuditSelection extends Pick<AuditQuery, "since" | "until" | "actor" | "outcome" | "requestId"> {
  /** The id of a tool, or a pattern such as `github:*`. */
  readonly tool?: string;
  readonly kind?: NonNullable<AuditQuery["kind"]> | "all";
}

/**
 * Without `kind` and `requestId`, intents (records of calls before they are sent) are included only if `withIntents` is
 * true. @internal
 */
export function toAuditFilter({ kind, tool, ...rest }: AuditSelection, withIntents = false): AuditFilter {
  const isPattern = tool !== undefined && /[*?[{]/.test(tool);
  const query: AuditQuery = {
    ...rest,
    ...(kind === undefined || kind === "all" ? {} : { kind }),
    ...(tool === undefined || isPattern ? {} : { tool }),
  };
  const matchesTool = isPattern ? toToolTest(tool) : () => true;
  const hidesIntents = kind === undefined && rest.requestId === undefined && !withIntents;
  return { query, accepts: (record) => matchesTool(record) && !(hidesIntents && record["kind"] === "intent") };
}

function toToolTest(pattern: string): (record: ShownRecord) => boolean {
  const { test } = compileGlob(pattern);
  return ({ tool_id: id }) => typeof id === "string" && test(foldName(id));
}
