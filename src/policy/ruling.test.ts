import { describe, expect, it } from "vitest";
import { compileRules } from "../rules/compile.js";
import { decide as decideRules } from "../rules/decide.js";
import { policyOptions } from "./options.js";
import { type CompileSelectors, compileRuling } from "./ruling.js";

const compile: CompileSelectors = async (selectors) => {
  const rules = await compileRules(selectors);
  return (tool) => decideRules(rules, tool).applied;
};
const rule = (section: unknown) => compileRuling(policyOptions.parse(section), compile);

describe("compileRuling", () => {
  it("lets the first entry about a tool decide its risk", async () => {
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
    expect(riskOf("other", "send")).toMatchObject({ risk: "high", origin: { kind: "default" } });
  });

  it("believes annotations except those of distrusted servers", async () => {
    const ruling = await rule({ distrust: ["shady-*"] });
    const annotations = { readOnlyHint: true };
    expect(ruling({ server: "fine", name: "list", annotations }).risk.risk).toBe("low");
    expect(ruling({ server: "Shady-1", name: "list", annotations }).risk.risk).toBe("high");
  });

  it("believes no annotations under strict, and thinks the worst of what is unknown", async () => {
    const ruling = await rule({ preset: "strict" });
    const { risk } = ruling({ server: "fine", name: "list", annotations: { readOnlyHint: true } });
    expect([risk.risk, risk.origin.kind]).toEqual(["destructive", "default"]);
  });

  it("adds up the scopes of all entries", async () => {
    const ruling = await rule({
      scopes: [
        { server: "bank", required_scopes: ["bank:use", "money"] },
        { tools: "pay", required_scopes: ["money", "pay"] },
      ],
    });
    expect(ruling({ server: "bank", name: "pay" }).scopes).toEqual(["bank:use", "money", "pay"]);
    expect(ruling({ server: "notes", name: "list" }).scopes).toEqual([]);
  });

  it("gives a tool the first bucket that is meant for it", async () => {
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
    ["nobody says anything", {}, {}, { isIdempotent: false }],
    ["the server says idempotentHint", {}, { annotations: { idempotentHint: true } }, { isIdempotent: true }],
    ["the tool only reads", {}, { annotations: { readOnlyHint: true } }, { isIdempotent: true }],
    [
      "the tool says that it only reads, and the person that it does more",
      { risk: [{ tools: "pay", risk: "destructive" }] },
      { annotations: { readOnlyHint: true } },
      { isIdempotent: false },
    ],
    ["the tool takes the key as metadata", {}, { takesKey: true }, { isIdempotent: true, sendAs: "_meta" }],
    ["the tool takes the key as an argument", {}, { takesKey: "ref" }, { isIdempotent: true, sendAs: "ref" }],
    ["the document's method may be repeated", {}, { idempotent: true }, { isIdempotent: true }],
    [
      "the adapter says that it may not, though the key travels",
      {},
      { idempotent: false, takesKey: true },
      { isIdempotent: false, sendAs: "_meta" },
    ],
    [
      "the server is not believed",
      { distrust: ["bank"] },
      { takesKey: true, annotations: { idempotentHint: true } },
      { isIdempotent: false },
    ],
    [
      "the configuration says otherwise",
      { idempotency: { tools: [{ tools: "pay", idempotent: false }] } },
      { annotations: { idempotentHint: true } },
      { isIdempotent: false },
    ],
    [
      "two entries say one thing each",
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
  ])("knows whether a call may be repeated when %s", async (_case, section, facts, expected) => {
    const ruling = await rule(section);
    expect(ruling({ server: "bank", name: "pay", ...facts }).key).toEqual(expected);
  });

  it("refuses all of it when one pattern does not compile", async () => {
    await expect(rule({ scopes: [{ tools: "/(?=a)/", required_scopes: ["x"] }] })).rejects.toThrow("looks ahead");
  });
});
