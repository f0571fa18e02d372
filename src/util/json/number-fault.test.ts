import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numberFault, writtenNumberFault } from "./number-fault.js";

/** The exact value of a decimal as a fraction of two integers. */
function toFraction(written: string): readonly [bigint, bigint] {
  const [mantissa = "", exponent = "0"] = written.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return power >= 0 ? [digits * 10n ** BigInt(power), 1n] : [digits, 10n ** BigInt(-power)];
}

function isSame(one: string, other: string): boolean {
  const [[a, b], [c, d]] = [toFraction(one), toFraction(other)];
  return a * d === c * b;
}

const isInteger = (written: string): boolean => /^-?\d+$/.test(written);
const digits = (maxLength: number) => fc.array(fc.nat(9), { minLength: 1, maxLength }).map((list) => list.join(""));
const token = fc
  .tuple(fc.boolean(), digits(20), fc.option(digits(20)), fc.option(fc.integer({ min: -340, max: 310 })))
  .map(([minus, whole, fraction, exponent]) => {
    const number = `${whole.replace(/^0+(?=\d)/, "")}${fraction === null ? "" : `.${fraction}`}`;
    return `${minus ? "-" : ""}${number}${exponent === null ? "" : `e${exponent}`}`;
  });

describe("writtenNumberFault", () => {
  it("accepts a number only if JSON writes back the same value", () => {
    fc.assert(
      fc.property(token, (written) => {
        const value = Number(JSON.parse(written));
        const isKept = Number.isFinite(value) && isSame(written, String(value));
        const isFine =
          isKept && numberFault(value) === undefined && !(isInteger(written) && !Number.isSafeInteger(value));
        expect(writtenNumberFault(written) === undefined).toBe(isFine);
        expect(writtenNumberFault(written) === "lossy-number").toBe(
          !isKept && !(isInteger(written) && Number.isFinite(value)),
        );
      }),
      { numRuns: 5000 },
    );
  });

  it("accepts every double as JSON writes it, except integers that are not exact", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(writtenNumberFault(JSON.stringify(value))).toBe(numberFault(value === 0 ? 0 : value));
      }),
      { numRuns: 5000 },
    );
  });

  it("accepts up to fifteen digits in any notation", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), fc.integer({ min: -200, max: -1 }), (n, power) => {
        expect(writtenNumberFault(`${n}e${power}`)).toBeUndefined();
        expect(writtenNumberFault(`${n}.000`)).toBeUndefined();
      }),
    );
  });
});

describe("numberFault", () => {
  it.each([
    [0, undefined],
    [-0, "negative-zero"],
    [Number.NaN, "not-a-value"],
    [Number.POSITIVE_INFINITY, "not-a-value"],
    [2 ** 53 - 1, undefined],
    [2 ** 53, "unsafe-integer"],
    [-(2 ** 60), "unsafe-integer"],
    [1e21, undefined],
    [0.1, undefined],
  ])("returns for %d: %s", (value, fault) => {
    expect(numberFault(value)).toBe(fault);
  });
});
