import { DiscoveryError } from "../../src/errors.js";
import { fnv1a } from "./half.js";
import type { EvalSet } from "../../src/operations/evaluation/evaluation-files.js";

/** Half of these sets' tools, with their queries, taught the model inside this package; `train/prepare.mjs` draws the same line. */
export const TEACHING_SETS: readonly string[] = ["azure-mcp-2025", "metatool", "toolbench", "bfcl"];

/** Whether a tool of that set, `server:name`, taught the model. */
export function hasTaught(set: string, id: string): boolean {
  return TEACHING_SETS.includes(set) && fnv1a(id) % 2 === 0;
}

/** Only the queries none of whose tools taught the model. All tools stay, and so do the unanswerable queries: those never taught. */
export function takeUnseen(set: EvalSet): EvalSet {
  const queries = set.queries.filter(({ relevant }) => relevant.every(({ id }) => !hasTaught(set.name, id)));
  if (queries.length > 0) return { ...set, queries };
  throw new DiscoveryError("INVALID_REQUEST", `Every query of ${set.name} has a tool that taught the model.`, {
    hint: "Leave --unseen out, or name other sets with --only.",
  });
}
