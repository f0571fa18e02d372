import { describe, expect, it } from "vitest";
import type { Question } from "../../model/call.js";
import type { JsonObject } from "../../model/json.js";
import { toForm, toVerdict } from "./question-form.js";

const question = (given: JsonObject, toolId = "github:delete_repo"): Question => ({
  id: "ap_1",
  toolId,
  risk: "destructive",
  riskOrigin: "the server says destructiveHint: true",
  arguments: given,
  ttlMs: 300_000,
});

describe("a question", () => {
  it("shows the tool, its risk and who says so, and exactly what would be sent", () => {
    expect(toForm(question({ name: "alice/site", force: true })).message).toBe(
      [
        'Run "github:delete_repo"?',
        "Risk: destructive (the server says destructiveHint: true).",
        "Arguments:",
        '{\n  "name": "alice/site",\n  "force": true\n}',
      ].join("\n"),
    );
  });

  it("is a form with one box to tick", () => {
    expect(toForm(question({})).requestedSchema).toEqual({
      type: "object",
      properties: { confirm: { type: "boolean", title: "Run it", description: expect.any(String) } },
      required: ["confirm"],
    });
  });

  it.each<[string, string]>([
    ["a line break that forges a line", "a\nRisk: low (harmless)."],
    ["a terminal's escape", "a\u001b[2Kb"],
    ["a C1 control", "a\u009bb"],
    ["a right-to-left override", "a\u202eb"],
    ["a line separator", "a\u2028b"],
    ["a tag character", "a\u{e0041}b"],
  ])("escapes %s in an argument and in the tool's id", (_, text) => {
    const { message } = toForm(question({ text }, `x:${text}`));
    expect(message).not.toContain(text);
    expect(message.split("\n").filter((line) => line.startsWith("Risk:"))).toHaveLength(1);
    expect(message).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u);
  });

  it.each(["x", "\u{1f600}"])("that is long is cut, and says how much of %s it leaves out", (character) => {
    const { message } = toForm(question({ text: character.repeat(9000) }));
    const [, shown, left] = /Arguments:\n([\s\S]*)\n… (\d+) more characters are not shown\.$/.exec(message) ?? [];
    expect(shown?.length).toBeLessThanOrEqual(4000);
    expect(shown?.isWellFormed()).toBe(true);
    expect(Number(left) + (shown?.length ?? 0)).toBe(
      JSON.stringify({ text: character.repeat(9000) }, undefined, 2).length,
    );
  });
});

describe("an answer", () => {
  it.each<[string, unknown, string]>([
    ["a ticked box", { action: "accept", content: { confirm: true } }, "accepted"],
    ["a refusal", { action: "decline" }, "declined"],
    ["a refusal with a ticked box", { action: "decline", content: { confirm: true } }, "declined"],
    ["a closed dialogue", { action: "cancel" }, "unanswered"],
    ["a closed dialogue with a ticked box", { action: "cancel", content: { confirm: true } }, "unanswered"],
    ["an untouched box", { action: "accept", content: { confirm: false } }, "unanswered"],
    ["nothing in the form", { action: "accept", content: {} }, "unanswered"],
    ["no form", { action: "accept" }, "unanswered"],
    ["a text for the box", { action: "accept", content: { confirm: "true" } }, "unanswered"],
    ["a number for the box", { action: "accept", content: { confirm: 1 } }, "unanswered"],
    ["a list for the form", { action: "accept", content: [true] }, "unanswered"],
    ["another word", { action: "yes", content: { confirm: true } }, "unanswered"],
    ["no object", "accept", "unanswered"],
    ["nothing", null, "unanswered"],
  ])("of %s", (_, answer, verdict) => {
    expect(toVerdict(answer)).toBe(verdict);
  });
});
