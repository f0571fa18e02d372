import { describe, expect, it } from "vitest";
import { expectCpuTime, expectLinear } from "../../../test/support/cost.js";
import { createJsonMeter, findShapeFault } from "./measure.js";

const LIMITS = { maxDepth: 4, maxValues: 20, maxKeys: 5 };
const fault = (text: string, limits = LIMITS) => findShapeFault(Buffer.from(text), limits);

describe("findShapeFault", () => {
  it.each([
    ["[[[[1]]]]"],
    ['{"a":{"b":{"c":{"d":1}}}}'],
    [`[${"1,".repeat(18)}1]`],
    ['{"text":"[[[[[[{{{{{{::::::::,,,,,,,,,,,,,,,,,,,,,,,,,,"}'],
    ['{"text":"a \\" [[[[[[ \\\\"}'],
    [`["${"x".repeat(60)}\\\\\\"[[[[[[[[[[","\\\\"]`],
  ])("accepts %s", (text) => {
    JSON.parse(text);
    expect(fault(text)).toBeUndefined();
  });

  it.each([
    ["[[[[[1]]]]]", "too-deep"],
    ['["a\\\\",[[[[1]]]]]', "too-deep"],
    ["[".repeat(1000), "too-deep"],
    [`[${"1,".repeat(20)}1]`, "too-many-values"],
    [`[${"{},".repeat(15)}1]`, "too-many-values"],
    ['{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}', "too-many-keys"],
  ])("rejects %s as %s", (text, expected) => {
    expect(fault(text)).toBe(expected);
  });

  it("finds the end of every string that JSON.parse accepts", () => {
    const pieces = ["a", '\\"', "\\\\", "x".repeat(30), "[", "\\u005b", ""];
    for (const one of pieces)
      for (const two of pieces)
        for (const three of pieces) {
          const text = `["${one}${two}${three}",[[[[1]]]]]`;
          JSON.parse(text);
          expect(fault(text)).toBe("too-deep");
          expect(fault(text, { ...LIMITS, maxDepth: 5 })).toBeUndefined();
        }
  });

  it("gives the same answer for a text in parts", () => {
    const text = Buffer.from('{"a":"x \\" [[[","b":[[[[1]]]]}');
    for (let cut = 0; cut <= text.length; cut += 1) {
      // A cut behind a backslash would split an escape sequence, which a line break cannot do.
      if (text[cut - 1] === 0x5c) continue;
      const meter = createJsonMeter({ ...LIMITS, maxDepth: 4 });
      expect(meter.push(text.subarray(0, cut)) ?? meter.push(text.subarray(cut))).toBe("too-deep");
      const other = createJsonMeter({ ...LIMITS, maxDepth: 5 });
      expect(other.push(text.subarray(0, cut)) ?? other.push(text.subarray(cut))).toBeUndefined();
    }
  });

  const wide = { maxDepth: 500, maxValues: 10_000_000, maxKeys: 10_000_000 };

  it("takes linear time, also for strings of backslashes and quotes", async () => {
    await expectLinear((size) => {
      const bytes = Buffer.from(`["${'\\\\\\"'.repeat(size)}"]`);
      return () => findShapeFault(bytes, wide);
    }, 50_000);
  });

  it("takes less time than JSON.parse", async () => {
    const records = Buffer.from(
      JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, name: `user ${id}`, active: true }))),
    );
    await expectCpuTime(() => findShapeFault(records, wide), {
      maxRatio: 1,
      control: () => JSON.parse(records.toString()),
    });
  });
});
