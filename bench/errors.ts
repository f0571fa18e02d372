// Internal modules that the benchmark row `errors` measures. They need the store.
export { describeDiscoveryStep } from "../src/metatools/next-steps.js";
export { toErrorObject } from "../src/metatools/to-error-object.js";
export { toModelError } from "../src/metatools/to-model-error.js";
export { errorSamples } from "../test/support/error-samples.js";
