import { describe, expect, it } from "vitest";
import { toOperation } from "../../../test/rest/session.js";
import { DiscoveryError } from "../../errors.js";
import { createRetryBudget, mayRepeat, type RetryOutcome, parseRetryAfter, retryDelayMs } from "./retry.js";

const NOW = Date.parse("2026-11-15T12:00:00Z");

describe("Retry-After", () => {
  it.each([
    ["0", 0],
    ["7", 7000],
    ["1000000000", 1e12],
    ["Sun, 15 Nov 2026 12:00:05 GMT", 5000],
    ["Sun, 15 Nov 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    [undefined, undefined],
  ])("parses %s as %s ms", (text, delay) => {
    expect(parseRetryAfter(text, NOW)).toBe(delay);
  });
});

describe("a retry", () => {
  const failed = (error: string): RetryOutcome => ({
    kind: "failed",
    error: new DiscoveryError("TOOL_EXECUTION_ERROR", "x", { facts: { error } }),
  });
  const answered = (status: number, retryAfterMs?: number): RetryOutcome => ({
    kind: "answered",
    status,
    retryAfterMs,
  });
  const state = { attempt: 0, mayRepeat: true, isSafe: true, leftMs: 60_000, random: () => 1 };

  it.each<[string, RetryOutcome, Partial<typeof state>, number | undefined]>([
    ["follows a connection reset", failed("ECONNRESET"), {}, 100],
    ["waits longer each time", failed("ECONNRESET"), { attempt: 1 }, 200],
    ["stops after two retries", failed("ECONNRESET"), { attempt: 2 }, undefined],
    ["does not follow an expired certificate", failed("CERT_HAS_EXPIRED"), {}, undefined],
    [
      "does not follow a timeout",
      { kind: "failed", error: new DiscoveryError("TOOL_EXECUTION_TIMEOUT", "x") },
      {},
      undefined,
    ],
    ["does not follow if the operation must not be repeated", failed("ECONNREFUSED"), { mayRepeat: false }, undefined],
    ["waits for the Retry-After of 429", answered(429, 3000), {}, 3000],
    ["follows 429 immediately if Retry-After is 0", answered(429, 0), {}, 0],
    ["does not follow 429 without Retry-After", answered(429), {}, undefined],
    ["does not wait longer than the limit", answered(503, 10_001), {}, undefined],
    ["does not wait past the time limit of the call", answered(503, 5000), { leftMs: 5000 }, undefined],
    ["does not follow 503 without Retry-After", answered(503), {}, undefined],
    ["follows 502", answered(502), {}, 100],
    ["follows 504", answered(504), {}, 100],
    ["does not follow 502 of an unsafe method", answered(502), { isSafe: false }, undefined],
    ["does not follow 500", answered(500), {}, undefined],
    ["does not follow 400", answered(400, 0), {}, undefined],
  ])("%s", (_, outcome, extra, delay) => {
    expect(retryDelayMs(outcome, { ...state, ...extra })).toBe(delay);
  });

  it.each<[string, boolean | undefined, boolean, boolean]>([
    ["GET", undefined, false, true],
    ["HEAD", undefined, false, true],
    ["OPTIONS", undefined, false, true],
    ["GET", false, false, false],
    ["GET", false, true, true],
    ["PUT", true, false, true],
    ["PUT", undefined, false, false],
    ["DELETE", true, false, true],
    ["DELETE", false, false, false],
    ["POST", true, false, false],
    ["POST", undefined, true, true],
    ["PATCH", true, false, false],
  ])("of %s with idempotent: %s and a key: %s is allowed: %s", (method, idempotent, hasKey, allowed) => {
    expect(mayRepeat(toOperation({ method, ...(idempotent === undefined ? {} : { idempotent }) }), hasKey)).toBe(
      allowed,
    );
  });
});

describe("the retry budget", () => {
  it.each([
    [1, 2],
    [20, 2],
    [30, 3],
    [1000, 100],
  ])("allows for %i failing calls %i retries", (calls, retries) => {
    const budget = createRetryBudget();
    let taken = 0;
    for (let call = 0; call < calls; call++) {
      budget.called();
      for (let retry = 0; retry < 2; retry++) if (budget.take()) taken += 1;
    }
    expect(taken).toBe(retries);
  });

  it("accumulates at most ten retries", () => {
    const budget = createRetryBudget();
    for (let call = 0; call < 10_000; call++) budget.called();
    expect(Array.from({ length: 20 }, () => budget.take()).filter(Boolean).length).toBe(10);
  });
});
