// Internal modules that the benchmark rows measure and the package does not export.
export { convertDocument } from "../src/adapters/convert-document.js";
export { createCatalog } from "../src/catalog/catalog.js";
export { createCatalogDisk } from "../src/catalog/disk.js";
export { toRecord } from "../src/catalog/record.js";
export { compileCheck } from "../src/executor/check-value.js";
export { DIRECTORY_VERSION, directoryFile } from "../src/directory/file.js";
export {
  createServerRanker,
  FIT_WEIGHTS,
  RANK_WEIGHTS,
  SURE_CONFIDENCE,
  toConfidence,
  toScore,
} from "../src/directory/rank.js";
export { toServiceName } from "../src/directory/documents.js";
export { createRegistryClient } from "../src/directory/registry-client.js";
export { toContentWords } from "../src/directory/words.js";
export { createDiscovery } from "../src/metatools/discovery.js";
export { toDetailsAnswer } from "../src/metatools/details-answer.js";
export { toSearchAnswer } from "../src/metatools/search-answer.js";
export { toSearchDocument } from "../src/metatools/search-document.js";
export { estimateTokens } from "../src/results/estimate-tokens.js";
export { nextReading } from "../src/results/next-reading.js";
export { readResult } from "../src/results/read-result.js";
export { readBlocks } from "../src/results/result-blocks.js";
export { runAtOnce, runSlices } from "../src/results/slices.js";
export { viewResult } from "../src/results/view-result.js";
export { createBlockBuilder } from "../src/search/block.js";
export { RANKING } from "../src/search/constants.js";
export { scoreAnswer } from "../src/search/evaluate.js";
export { FIELD_NAMES, readFields } from "../src/search/fields.js";
export { createTableMemory } from "../src/search/meaning/add-rows.js";
export { openMeaning } from "../src/search/meaning/meaning.js";
export { searchOptions } from "../src/search/options.js";
export { buildIndex, createSearchIndex } from "../src/search/search-index.js";
export { summarize } from "../src/search/summary.js";
export { createVocabulary } from "../src/search/vocabulary.js";
export { toBaselineDocument } from "./search/baselines/baseline.js";
export { createBm25 } from "./search/baselines/bm25.js";
export { calibrate } from "./search/calibration.js";
export { isInHalf } from "./search/half.js";
export { addDistractors } from "./search/haystack.js";
export { findSets, readDistractors } from "./search/sets.js";
export { takeUnseen } from "./search/unseen.js";
export { readEvalSet } from "../src/operations/evaluation/evaluation-files.js";
