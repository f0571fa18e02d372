import { describe, expect, it } from "vitest";
import { z } from "zod";
import { findBadPatterns } from "../rules/options.js";
import { findBadSelectors, policyOptions } from "./options.js";

function problems(value: unknown): string[] {
  const result = policyOptions.safeParse(value);
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("policyOptions", () => {
  it("has the documented defaults", () => {
    expect(policyOptions.parse({})).toEqual({
      preset: "default",
      risk: [],
      distrust: [],
      confirmation: { mode: "auto", from: "destructive", ttlSeconds: 300 },
      idempotency: {
        requiredFrom: { gateway: "high", elsewhere: "never" },
        ttlSeconds: 86_400,
        maxKeysPerActor: 100_000,
        maxBytesPerActor: 67_108_864,
        tools: [],
      },
      localScopes: ["*"],
      scopes: [],
      buckets: {},
      rateLimits: [],
      views: {},
      pinning: "warn",
    });
  });

  it("restricts everything under strict, except options that are set explicitly", () => {
    expect(policyOptions.parse({ preset: "strict", confirmation: { from: "medium" }, pinning: "warn" })).toMatchObject({
      distrust: ["*"],
      confirmation: { mode: "human", from: "medium", ttlSeconds: 300 },
      idempotency: { requiredFrom: { gateway: "high", elsewhere: "high" } },
      pinning: "warn",
    });
  });

  it("accepts a section with every option", () => {
    const section = {
      risk: [
        { tools: ["*delete*", "!delete_draft"], risk: "destructive" },
        { server: "notes", risk: "low" },
      ],
      distrust: ["shady-*"],
      scopes: [{ tools: "/^pay_/", server: "bank", required_scopes: ["payments:write"] }],
      buckets: { payments_high_risk: { calls: 100, perSeconds: 60 } },
      rateLimits: [{ tools: "pay_*", rate_limit_bucket: "payments_high_risk" }],
    };
    expect(policyOptions.parse(section)).toMatchObject(section);
  });

  it.each<[string, unknown, string[]]>([
    ["a misspelt key", { confirmations: {} }, [': Unrecognized key: "confirmations"']],
    ["a misspelt nested key", { confirmation: { mod: "human" } }, ['confirmation: Unrecognized key: "mod"']],
    [
      "a misspelt key of an entry",
      { scopes: [{ tools: "*", requiredScopes: ["a"], required_scopes: ["a"] }] },
      ['scopes.0: Unrecognized key: "requiredScopes"'],
    ],
    [
      "an entry without tools and server",
      { risk: [{ risk: "low" }] },
      ["risk.0.tools: An entry without `server` needs `tools`."],
    ],
    [
      "a bucket that does not exist",
      { rateLimits: [{ tools: "*", rate_limit_bucket: "x" }] },
      ['rateLimits.0.rate_limit_bucket: policy.buckets has no bucket "x".'],
    ],
    [
      "a bucket named like a property of every object",
      { rateLimits: [{ tools: "*", rate_limit_bucket: "toString" }] },
      ['rateLimits.0.rate_limit_bucket: policy.buckets has no bucket "toString".'],
    ],
    [
      "a scope with a space",
      { localScopes: ["a b"] },
      ["localScopes.0: A scope may contain only printable ASCII characters, except space, double quote and backslash."],
    ],
    ["an empty pattern", { distrust: [""] }, ["distrust.0: A pattern must not be empty."]],
  ])("rejects %s", (_, section, expected) => {
    expect(problems(section)).toEqual(expected);
  });

  it.each([
    { risk: [{ tools: "*", risk: "LOW" }] },
    { confirmation: { mode: "off" } },
    { confirmation: { ttlSeconds: 0 } },
    { idempotency: { requiredFrom: "high" } },
    { buckets: { a: { calls: 0, perSeconds: 1 } } },
    { pinning: true },
  ])("rejects %j", (section) => {
    expect(problems(section)).toHaveLength(1);
  });

  it("can be converted to a JSON schema", () => {
    const schema = z.toJSONSchema(policyOptions, { io: "input", target: "draft-7" });
    expect(Object.keys(schema.properties ?? {})).toContain("rateLimits");
  });
});

describe("findBadSelectors", () => {
  it("reports every pattern that does not compile, with its path in the configuration", async () => {
    const section = {
      risk: [{ tools: ["fine", "/(?=x)/"], risk: "low" }, 7, { tools: "[", risk: "?" }],
      distrust: ["fine", "{"],
      scopes: 3,
      rateLimits: [{ server: "[" }, null],
    };
    const bad = await findBadSelectors(section, findBadPatterns);
    const places = ["risk.0.tools.1", "risk.2.tools", "rateLimits.0.server", "distrust.1"];
    expect(bad.map(({ path }) => path.join("."))).toEqual(places);
    expect(bad[0]?.reason).toContain("lookahead");
  });

  it.each([undefined, null, 1, [], "x", {}])("finds none in %j", async (section) => {
    expect(await findBadSelectors(section, findBadPatterns)).toEqual([]);
  });
});

it("parses its own output to the same value", () => {
  const options = policyOptions.parse({ preset: "strict", risk: [{ tools: "a", risk: "low" }] });
  expect(policyOptions.parse(options)).toEqual(options);
});
