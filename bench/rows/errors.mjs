import { bundleInside } from "../support/bundle-inside.mjs";
import { median, quantile, spreadOf } from "../support/statistics.mjs";
import { tokensOf } from "../support/tokens.mjs";

/** Tokens of one error as a model reads it, compared with the complete error object of the REST API and `--json`. */
export const errors = {
  name: "errors",
  about: "tokens of the errors that a model reads, with at least one error of every code",
  seconds: { usual: 2, quick: 2 },
  async run() {
    const internals = await import(await bundleInside("bench/errors.ts"));
    const { errorSamples, toErrorObject, toModelError, describeDiscoveryStep } = internals;
    const measured = (await errorSamples()).map(({ name, error }) => ({
      name,
      tokens: tokensOf({ success: false, error: toModelError(error, describeDiscoveryStep).error }),
      whole: tokensOf(toErrorObject(error, describeDiscoveryStep)),
    }));
    const tokens = measured.map((one) => one.tokens);
    const whole = measured.map((one) => one.whole);
    const largest = measured.find((one) => one.tokens === Math.max(...tokens));
    return [
      {
        what: "an error, median",
        value: median(tokens),
        unit: "tokens",
        spread: spreadOf(tokens),
        baseline: { name: "with all details, median", value: median(whole) },
        ratio: median(tokens) / median(whole),
        budget: { most: 60 },
        note: `${measured.length} errors; largest: ${largest.name}, ${largest.tokens} tokens`,
      },
      {
        what: "an error, p95",
        value: quantile(tokens, 0.95),
        unit: "tokens",
        baseline: { name: "with all details, p95", value: quantile(whole, 0.95) },
        ratio: quantile(tokens, 0.95) / quantile(whole, 0.95),
        budget: { most: 120 },
      },
    ];
  },
};
