import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import { createBreaker } from "./breaker.js";

const reason = new DiscoveryError("SERVER_CONNECTION_ERROR", "github exited with code 1.");

describe("createBreaker", () => {
  it("backs off from 0.5 s to 30 s when a server does not start", () => {
    const breaker = createBreaker(() => 1);
    const delays: number[] = [];
    for (let failure = 0, now = 0; failure < 9; failure++) {
      breaker.startFailed(reason, now);
      delays.push(breaker.last!.retryAt - now);
      now += 120_000;
    }
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it("randomizes the delays by up to half", () => {
    const breaker = createBreaker(() => 0);
    breaker.startFailed(reason, 0);
    expect(breaker.last).toMatchObject({ retryAt: 250, open: false });
  });

  it("pauses only until the next attempt is due", () => {
    const breaker = createBreaker(() => 1);
    breaker.startFailed(reason, 1_000);
    expect(breaker.pause(1_499)).toEqual({ reason, retryAt: 1_500, open: false });
    expect(breaker.pause(1_500)).toBeUndefined();
  });

  it("allows an immediate attempt after a crash", () => {
    const breaker = createBreaker(() => 1);
    breaker.succeeded();
    breaker.crashed(reason, 1_000);
    expect(breaker.pause(1_000)).toBeUndefined();
    expect(breaker.last?.reason).toBe(reason);
  });

  it("opens for a minute after more than five failures within a minute", () => {
    const breaker = createBreaker(() => 1);
    for (const now of [0, 10_000, 20_000, 30_000, 40_000]) {
      breaker.crashed(reason, now);
      expect(breaker.pause(now)).toBeUndefined();
      breaker.succeeded();
    }
    breaker.crashed(reason, 50_000);
    expect(breaker.pause(50_000)).toMatchObject({ open: true, retryAt: 110_000 });
    expect(breaker.pause(110_000)).toBeUndefined();
  });

  it("ignores failures older than a minute", () => {
    const breaker = createBreaker(() => 1);
    for (const now of [0, 1, 2, 3, 4]) breaker.crashed(reason, now);
    breaker.crashed(reason, 60_003);
    expect(breaker.last).toMatchObject({ open: false });
  });

  it("opens again when the single attempt after the pause fails", () => {
    const breaker = createBreaker(() => 1);
    for (let failure = 0; failure < 6; failure++) breaker.crashed(reason, 0);
    breaker.startFailed(reason, 60_001);
    expect(breaker.pause(60_001)).toMatchObject({ open: true, retryAt: 120_001 });
  });

  it("resets the back-off after a success", () => {
    const breaker = createBreaker(() => 1);
    breaker.startFailed(reason, 0);
    breaker.startFailed(reason, 1_000);
    breaker.succeeded();
    expect(breaker.last).toBeUndefined();
    breaker.startFailed(reason, 2_000);
    expect(breaker.last?.retryAt).toBe(2_500);
  });
});
