import { describe, expect, it } from "vitest";
import { parseConfig } from "../config/load.js";
import { describeDifference, lateOptions } from "./configuration-difference.js";

const none = { added: [], removed: [], changed: [], sections: [] };

describe("describeDifference", () => {
  it.each([
    [none, "no server and no section changed"],
    [{ ...none, added: ["a", "b"] }, "servers: 2 added (a, b)"],
    [
      { added: ["a"], removed: ["b"], changed: ["c"], sections: ["cache", "audit"] },
      "servers: 1 added (a), 1 removed (b), 1 changed (c); sections changed: cache, audit",
    ],
    [{ ...none, removed: ["1", "2", "3", "4", "5", "6", "7"] }, "servers: 7 removed (1, 2, 3, 4, 5 and 2 more)"],
  ])("describes %j as %j", (difference, text) => {
    expect(describeDifference(difference)).toBe(text);
  });
});

describe("lateOptions", () => {
  it.each([
    [{}, []],
    [{ upstreams: { concurrency: 3, idleMs: 5 } }, []],
    [
      { upstreams: { maxMessageBytes: 2048 } },
      [expect.stringContaining("take effect for new connections only: maxMessageBytes")],
    ],
    [{ results: { keepMs: 5000 } }, []],
  ])("names the options of %j that do not take effect at once", (changed, expected) => {
    expect(lateOptions(parseConfig({}), parseConfig(changed))).toEqual(expected);
  });
});
