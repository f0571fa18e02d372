import { describe } from "vitest";
import { describeResultRecords } from "../../test/contract/store/result-records.js";
import { createMemoryResults } from "./memory-results.js";

describe("results in memory", () => {
  describeResultRecords(() => Promise.resolve(createMemoryResults()));
});
