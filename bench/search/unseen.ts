import { DiscoveryError } from "../../src/errors.js";
import { fnv1a } from "./half.js";
import type { EvalSet } from "../../src/operations/evaluation/evaluation-files.js";

/** Half of the tools of these sets, with their queries, are training data of the bundled model. `train/prepare.mjs` has the same rule. */
export const TRAINING_SETS: readonly string[] = ["azure-mcp-2025", "metatool", "toolbench", "bfcl"];

/** Whether a tool (`server:name`) of the set is training data of the model. */
export function isTrainingTool(set: string, id: string): boolean {
  return TRAINING_SETS.includes(set) && fnv1a(id) % 2 === 0;
}

/** Keeps only queries none of whose tools are training data. All tools and the unanswerable queries, which are never training data, stay. */
export function takeUnseen(set: EvalSet): EvalSet {
  const queries = set.queries.filter(({ relevant }) => relevant.every(({ id }) => !isTrainingTool(set.name, id)));
  if (queries.length > 0) return { ...set, queries };
  throw new DiscoveryError(
    "INVALID_REQUEST",
    `Every query of ${set.name} has a relevant tool in the training data of the model.`,
    {
      hint: "Omit --unseen, or name other sets with --only.",
    },
  );
}
