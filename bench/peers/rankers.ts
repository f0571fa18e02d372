// What the theme "search" takes of the sources: the labelled sets, their measures, and the rankers to compare with.
export { scoreAnswer } from "../../src/search/evaluate.js";
export { toBaselineDocument } from "../../src/surfaces/cli/eval/baselines/baseline.js";
export { createBm25 } from "../../src/surfaces/cli/eval/baselines/bm25.js";
export { createMiniSearch } from "../../src/surfaces/cli/eval/baselines/minisearch.js";
export { isInHalf } from "../../src/surfaces/cli/eval/half.js";
export { findSets, readSet } from "../../src/surfaces/cli/eval/sets.js";
export { takeUnseen } from "../../src/surfaces/cli/eval/unseen.js";
