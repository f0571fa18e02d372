import { describe, expect, it } from "vitest";
import { compileRules } from "../rules/compile.js";
import { decideRules } from "../rules/decide.js";
import { policyOptions } from "./options.js";
import { type CompileSelectors, compileRuling } from "./ruling.js";

const compile: CompileSelectors = async (selectors) => {
  const rules = await compileRules(selectors);
  return (tool) => decideRules(rules, tool).applied;
};
const rule = (section: unknown) => compileRuling(policyOptions.parse(section), compile);

describe("compileRuling", () => {
  it("uses the risk of the first entry that matches a tool", async () => {
    const ruling = await rule({
      risk: [
        { tools: ["*delete*", "!delete_draft"], risk: "destructive" },
        { tools: "/^DELETE_/i", server: "notes", risk: "low" },
        { server: "mail", risk: "medium" },
      ],
    });
    const riskOf = (server: string, name: string) => ruling({ server, name }).risk;
    expect(riskOf("notes", "delete_note").risk).toBe("destructive");
    expect(riskOf("notes", "delete_draft")).toEqual({
      risk: "low",
      origin: { kind: "config", detail: "policy.risk, entry 2" },
    });
    expect(riskOf("mail", "send").risk).toBe("medium");
    expect(riskOf("other", "send")).toMatchObject({ risk: "high", origin: { kind: "evidence" } });
    expect(riskOf("other", "frobnicate")).toMatchObject({ risk: "high", origin: { kind: "default" } });
  });

  it("trusts annotations except those of distrusted servers", async () => {
    const ruling = await rule({ distrust: ["shady-*"] });
    const annotations = { readOnlyHint: true };
    expect(ruling({ server: "fine", name: "list", annotations }).risk.risk).toBe("low");
    expect(ruling({ server: "Shady-1", name: "list", annotations }).risk.risk).toBe("high");
  });

  it("ignores annotations that lower the risk under strict, and assumes the highest risk if none is declared", async () => {
    const ruling = await rule({ preset: "strict" });
    const { risk } = ruling({ server: "fine", name: "list", annotations: { readOnlyHint: true } });
    expect([risk.risk, risk.origin.kind]).toEqual(["destructive", "default"]);
  });

  it("combines the scopes of all matching entries", async () => {
    const ruling = await rule({
      scopes: [
        { server: "bank", required_scopes: ["bank:use", "money"] },
        { tools: "pay", required_scopes: ["money", "pay"] },
      ],
    });
    expect(ruling({ server: "bank", name: "pay" }).scopes).toEqual(["bank:use", "money", "pay"]);
    expect(ruling({ server: "notes", name: "list" }).scopes).toEqual([]);
  });

  it("gives a tool the bucket of the first matching entry", async () => {
    const ruling = await rule({
      buckets: { few: { calls: 2, perSeconds: 1 }, many: { calls: 100, perSeconds: 60, per: "everyone" } },
      rateLimits: [
        { tools: "pay", rate_limit_bucket: "few" },
        { server: "bank", rate_limit_bucket: "many" },
      ],
    });
    expect(ruling({ server: "bank", name: "pay" }).bucket).toEqual({
      name: "few",
      per: "actor",
      calls: 2,
      perMs: 1000,
    });
    expect(ruling({ server: "bank", name: "list" }).bucket?.name).toBe("many");
    expect(ruling({ server: "notes", name: "list" })).not.toHaveProperty("bucket");
  });

  it.each<[string, object, object, object]>([
    ["no source declares it", {}, {}, { isIdempotent: false }],
    ["the server declares idempotentHint", {}, { annotations: { idempotentHint: true } }, { isIdempotent: true }],
    ["the tool is read-only", {}, { name: "balance", annotations: { readOnlyHint: true } }, { isIdempotent: true }],
    [
      "the tool declares read-only, but its name contradicts that",
      {},
      { annotations: { readOnlyHint: true } },
      { isIdempotent: false },
    ],
    ["the HTTP method is GET", {}, { name: "balance", method: "GET" }, { isIdempotent: true }],
    [
      "the HTTP method is GET, and the name says that it acts",
      {},
      { name: "pause", method: "GET" },
      { isIdempotent: false },
    ],
    ["the HTTP method is PUT", {}, { name: "campaign", method: "PUT" }, { isIdempotent: true }],
    ["the HTTP method is POST", {}, { name: "campaign", method: "POST" }, { isIdempotent: false }],
    [
      "the tool declares read-only, and the configuration a higher risk",
      { risk: [{ tools: "pay", risk: "destructive" }] },
      { annotations: { readOnlyHint: true } },
      { isIdempotent: false },
    ],
    ["the tool takes the key as metadata", {}, { takesKey: true }, { isIdempotent: true, sendAs: "_meta" }],
    ["the tool takes the key as an argument", {}, { takesKey: "ref" }, { isIdempotent: true, sendAs: "ref" }],
    ["the HTTP method is idempotent", {}, { idempotent: true }, { isIdempotent: true }],
    [
      "the adapter declares that it is not idempotent, although the key is passed on",
      {},
      { idempotent: false, takesKey: true },
      { isIdempotent: false, sendAs: "_meta" },
    ],
    [
      "the server is distrusted",
      { distrust: ["bank"] },
      { takesKey: true, annotations: { idempotentHint: true } },
      { isIdempotent: false },
    ],
    [
      "the configuration overrides it",
      { idempotency: { tools: [{ tools: "pay", idempotent: false }] } },
      { annotations: { idempotentHint: true } },
      { isIdempotent: false },
    ],
    [
      "two entries set one property each",
      {
        idempotency: {
          tools: [
            { tools: "pay", sendKeyAs: "ref" },
            { server: "bank", idempotent: false },
          ],
        },
      },
      {},
      { isIdempotent: false, sendAs: "ref" },
    ],
  ])("decides whether a call may be repeated when %s", async (_case, section, facts, expected) => {
    const ruling = await rule(section);
    expect(ruling({ server: "bank", name: "pay", ...facts }).key).toEqual(expected);
  });

  it("rejects all entries if one pattern does not compile", async () => {
    await expect(rule({ scopes: [{ tools: "/(?=a)/", required_scopes: ["x"] }] })).rejects.toThrow("lookahead");
  });
});
