import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createLoginThrottle } from "./login-throttle.js";
import { createIdentify, type Identify, type IdentityParts } from "./identity.js";
import { tokensOptions } from "./token-options.js";

const TOKEN = "q".repeat(43);
const CAROLS = "carol-0123456789-0123456789-0123456789";
const NOW = Date.parse("2026-11-15T12:00:00Z");
const hashOf = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;
const tokens = tokensOptions.parse([
  { name: "carol", hash: hashOf(CAROLS), scopes: ["mail:*"], view: "office" },
  { name: "past", hash: hashOf("p".repeat(40)), expires: "2026-11-15T12:00:00Z" },
  { name: "soon", hash: hashOf("s".repeat(40)), expires: "2026-11-15T13:00:00.5+01:00" },
]);

function createWith(
  parts: Partial<IdentityParts> = {},
): (authorization?: string, isLocal?: boolean) => ReturnType<Identify> {
  const identify = createIdentify({
    token: TOKEN,
    options: () => ({ tokens }),
    verify: () => undefined,
    throttle: createLoginThrottle({ elapsed: () => 0 }),
    now: () => NOW,
    ...parts,
  });
  return (authorization, isLocal = true) => identify({ authorization, source: "127.0.0.1", isLocal });
}
const identify = (...args: Parameters<ReturnType<typeof createWith>>) => createWith()(...args);

describe("the token of this machine", () => {
  it.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER  ${TOKEN} `])("is accepted as %s", async (authorization) => {
    expect(await identify(authorization)).toEqual({ kind: "known", actor: { id: "local", surface: "http" } });
  });

  it("is rejected from other addresses", async () => {
    expect(await identify(`Bearer ${TOKEN}`, false)).toEqual({ kind: "invalid" });
  });

  it("does not match a similar token, and an empty token matches nothing", async () => {
    for (const none of [undefined, ""]) expect(await identify(none)).toEqual({ kind: "anonymous" });
    for (const wrong of ["Bearer", "Bearer ", TOKEN, `Bearer${TOKEN}`, `Bearer ${TOKEN}q`, `Basic ${TOKEN}`]) {
      expect(await identify(wrong)).toEqual({ kind: "invalid" });
    }
  });
});

describe("a token of the configuration", () => {
  it.each([true, false])("identifies its actor with scopes and view (from this machine: %s)", async (isLocal) => {
    const actor = { id: "token:carol", surface: "http", scopes: ["mail:*"], view: "office" };
    expect(await identify(`Bearer ${CAROLS}`, isLocal)).toEqual({ kind: "known", actor });
  });

  it("is valid until it expires", async () => {
    expect(await identify(`Bearer ${"p".repeat(40)}`)).toEqual({ kind: "invalid" });
    expect(await identify(`Bearer ${"s".repeat(40)}`)).toMatchObject({
      kind: "known",
      actor: { id: "token:soon" },
      until: NOW + 500,
    });
  });

  it("is rejected after it was removed from the configuration", async () => {
    let current = tokens;
    const identifyWith = createWith({ options: () => ({ tokens: current }) });
    expect(await identifyWith(`Bearer ${CAROLS}`)).toMatchObject({ kind: "known" });
    current = [];
    expect(await identifyWith(`Bearer ${CAROLS}`)).toEqual({ kind: "invalid" });
  });

  it("cannot be replaced by its hash", async () => {
    const [first] = tokens;
    expect(await identify(`Bearer ${first?.hash}`)).toEqual({ kind: "invalid" });
    expect(await identify(`Bearer ${first?.hash.slice(7)}`)).toEqual({ kind: "invalid" });
  });
});

it("verifies only tokens with the format of a JWT", async () => {
  const seen: string[] = [];
  const identifyWith = createWith({
    verify: () => (token) => (seen.push(token), Promise.resolve({ kind: "unverifiable" })),
  });
  expect(await identifyWith("Bearer a.b.c")).toEqual({ kind: "unverifiable" });
  for (const other of ["a.b", "a.b.c.d", "a..c", "abc"])
    expect(await identifyWith(`Bearer ${other}`)).toEqual({ kind: "invalid" });
  expect(seen).toEqual(["a.b.c"]);
});

describe("from an address that sent many invalid tokens", () => {
  const throttled = { waitMs: () => 1500, failed: () => undefined };

  it("only invalid tokens have to wait: a valid one is accepted, used before or not", async () => {
    const dotted = "a".repeat(20) + "." + "b".repeat(20) + "." + "c".repeat(20);
    const list = tokensOptions.parse([
      { name: "dotted", hash: hashOf(dotted) },
      { name: "carol", hash: hashOf(CAROLS) },
      { name: "past", hash: hashOf("p".repeat(40)), expires: "2026-11-15T12:00:00Z" },
    ]);
    const actor = { id: "oauth:x/ann", surface: "http", scopes: [] } as const;
    const known = { kind: "known", actor } as const;
    const verify = () => (token: string) =>
      Promise.resolve(token === "good.good.good" ? known : ({ kind: "invalid" } as const));
    const identifyWith = createWith({ throttle: throttled, verify, options: () => ({ tokens: list }) });
    expect(await identifyWith("Bearer good.good.good")).toEqual(known);
    for (const valid of [TOKEN, CAROLS, dotted]) {
      expect(await identifyWith(`Bearer ${valid}`)).toMatchObject({ kind: "known" });
    }
    for (const wrong of ["bad.bad.bad", "p".repeat(40), "x", ""]) {
      expect(await identifyWith(`Bearer ${wrong}`)).toEqual({ kind: "limited", retryAfterMs: 1500 });
    }
  });

  it("a waiting token is not counted again, so that the wait ends", async () => {
    let [waitMs, failures] = [0, 0];
    const throttle = { waitMs: () => waitMs, failed: () => void (failures += 1) };
    const identifyWith = createWith({ throttle });
    expect(await identifyWith("Bearer wrong")).toEqual({ kind: "invalid" });
    waitMs = 1500;
    expect(await identifyWith("Bearer wrong")).toEqual({ kind: "limited", retryAfterMs: 1500 });
    expect(failures).toBe(1);
  });
});

it("takes the same time for a guess that differs in the first or in the last character", async () => {
  const identifyWith = createWith({
    throttle: { waitMs: () => 0, failed: () => undefined },
  });
  const guesses = [`Bearer p${TOKEN.slice(1)}`, `Bearer ${TOKEN.slice(0, -1)}p`];
  const fastest = [Infinity, Infinity];
  // Alternate, and take the fastest of many runs, so that other load on the machine does not matter.
  for (let round = 0; round < 400; round += 1) {
    for (const [index, guess] of guesses.entries()) {
      const from = process.hrtime.bigint();
      for (let time = 0; time < 50; time += 1) await identifyWith(guess);
      fastest[index] = Math.min(fastest[index] ?? 0, Number(process.hrtime.bigint() - from));
    }
  }
  const [first = 0, last = 0] = fastest;
  expect(Math.abs(first - last) / Math.max(first, last)).toBeLessThan(0.25);
});
