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
    failures: createLoginThrottle({ elapsed: () => 0 }),
    now: () => NOW,
    ...parts,
  });
  return (authorization, isLocal = true) => identify({ authorization, source: "127.0.0.1", isLocal });
}
const identify = (...args: Parameters<ReturnType<typeof createWith>>) => createWith()(...args);

describe("the token of this machine", () => {
  it.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER  ${TOKEN} `])("is known as %s", async (authorization) => {
    expect(await identify(authorization)).toEqual({ kind: "known", actor: { id: "local", surface: "http" } });
  });

  it("does not apply to callers from other addresses", async () => {
    expect(await identify(`Bearer ${TOKEN}`, false)).toEqual({ kind: "wrong" });
  });

  it("does not match a similar token, and an empty token matches nothing", async () => {
    for (const none of [undefined, ""]) expect(await identify(none)).toEqual({ kind: "nobody" });
    for (const wrong of ["Bearer", "Bearer ", TOKEN, `Bearer${TOKEN}`, `Bearer ${TOKEN}q`, `Basic ${TOKEN}`]) {
      expect(await identify(wrong)).toEqual({ kind: "wrong" });
    }
  });
});

describe("a token of the configuration", () => {
  it.each([true, false])("is its actor's, with scopes and view, from this machine or not (%s)", async (isLocal) => {
    const actor = { id: "token:carol", surface: "http", scopes: ["mail:*"], view: "office" };
    expect(await identify(`Bearer ${CAROLS}`, isLocal)).toEqual({ kind: "known", actor });
  });

  it("counts until it expires", async () => {
    expect(await identify(`Bearer ${"p".repeat(40)}`)).toEqual({ kind: "wrong" });
    expect(await identify(`Bearer ${"s".repeat(40)}`)).toMatchObject({
      kind: "known",
      actor: { id: "token:soon" },
      until: NOW + 500,
    });
  });

  it("counts no more when it is taken out", async () => {
    let inForce = tokens;
    const look = createWith({ options: () => ({ tokens: inForce }) });
    expect(await look(`Bearer ${CAROLS}`)).toMatchObject({ kind: "known" });
    inForce = [];
    expect(await look(`Bearer ${CAROLS}`)).toEqual({ kind: "wrong" });
  });

  it("is not its hash", async () => {
    const [first] = tokens;
    expect(await identify(`Bearer ${first?.hash}`)).toEqual({ kind: "wrong" });
    expect(await identify(`Bearer ${first?.hash.slice(7)}`)).toEqual({ kind: "wrong" });
  });
});

it("hands on only what looks like a signed token", async () => {
  const seen: string[] = [];
  const look = createWith({ verify: () => (token) => (seen.push(token), Promise.resolve({ kind: "undecided" })) });
  expect(await look("Bearer a.b.c")).toEqual({ kind: "undecided" });
  for (const other of ["a.b", "a.b.c.d", "a..c", "abc"])
    expect(await look(`Bearer ${other}`)).toEqual({ kind: "wrong" });
  expect(seen).toEqual(["a.b.c"]);
});

it("looks at nothing but signatures from where too many wrong tokens came", async () => {
  const failures = { waitMs: () => 1500, failed: () => undefined, succeeded: () => undefined };
  const dotted = "a".repeat(20) + "." + "b".repeat(20) + "." + "c".repeat(20);
  const list = tokensOptions.parse([{ name: "dotted", hash: hashOf(dotted) }]);
  const actor = { id: "oauth:x/ann", surface: "http", scopes: [] } as const;
  const verify = () => (token: string) =>
    Promise.resolve(token === "good.good.good" ? ({ kind: "known", actor } as const) : ({ kind: "wrong" } as const));
  const look = createWith({ failures, verify, options: () => ({ tokens: list }) });
  expect(await look("Bearer good.good.good")).toEqual({ kind: "known", actor });
  for (const other of [TOKEN, CAROLS, dotted, "bad.bad.bad"]) {
    expect(await look(`Bearer ${other}`)).toEqual({ kind: "limited", retryAfterMs: 1500 });
  }
});

it("takes as long for a guess that is right up to its last letter as for one that is wrong from the first", async () => {
  const look = createWith({ failures: { waitMs: () => 0, failed: () => undefined, succeeded: () => undefined } });
  const guesses = [`Bearer p${TOKEN.slice(1)}`, `Bearer ${TOKEN.slice(0, -1)}p`];
  const fastest = [Infinity, Infinity];
  // In turns and the fastest of many, so that it does not matter what else the machine does.
  for (let round = 0; round < 400; round += 1) {
    for (const [index, guess] of guesses.entries()) {
      const from = process.hrtime.bigint();
      for (let time = 0; time < 50; time += 1) await look(guess);
      fastest[index] = Math.min(fastest[index] ?? 0, Number(process.hrtime.bigint() - from));
    }
  }
  const [first = 0, last = 0] = fastest;
  expect(Math.abs(first - last) / Math.max(first, last)).toBeLessThan(0.25);
});
