// The parts of src/ that the theme "search" uses: labelled sets, measures, and the rankers to compare with.
export { scoreAnswer } from "../../src/search/evaluate.js";
export { toBaselineDocument } from "../search/baselines/baseline.js";
export { createBm25 } from "../search/baselines/bm25.js";
export { createMiniSearch } from "../search/baselines/minisearch.js";
export { isInHalf } from "../search/half.js";
export { findSets } from "../search/sets.js";
export { takeUnseen } from "../search/unseen.js";
export { readEvalSet } from "../../src/operations/evaluation/evaluation-files.js";
