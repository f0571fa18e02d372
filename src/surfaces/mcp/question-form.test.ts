import { describe, expect, it } from "vitest";
import type { Question } from "../../model/call.js";
import type { JsonObject } from "../../model/json.js";
import { toElicitationForm, toVerdict } from "./question-form.js";

const question = (given: JsonObject, toolId = "github:delete_repo"): Question => ({
  id: "ap_1",
  toolId,
  risk: "destructive",
  riskOrigin: "the server says destructiveHint: true",
  arguments: given,
  ttlMs: 300_000,
});

/** What the person is shown of the arguments. */
const shownOf = (given: JsonObject): string | undefined =>
  toElicitationForm(question(given))?.message.replace(/^[\s\S]*?\nArguments:\n/, "");

describe("a question", () => {
  it("shows the tool, its risk and who says so, and exactly what would be sent", () => {
    expect(toElicitationForm(question({ name: "alice/site", force: true }))?.message).toBe(
      [
        'Run "github:delete_repo"?',
        "Risk: destructive (the server says destructiveHint: true).",
        "Arguments:",
        '{\n  "name": "alice/site",\n  "force": true\n}',
      ].join("\n"),
    );
  });

  it("is a form with one box to tick", () => {
    expect(toElicitationForm(question({}))?.requestedSchema).toEqual({
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
    const message = toElicitationForm(question({ text }, `x:${text}`))?.message ?? "";
    expect(message).not.toContain(text);
    expect(message.split("\n").filter((line) => line.startsWith("Risk:"))).toHaveLength(1);
    expect(message).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u);
  });

  it("shows both ends of a long value, and how much it leaves out between them", () => {
    const shown = shownOf({ text: `${"a".repeat(5000)}${"z".repeat(4000)}` }) ?? "";
    const [, head = "", left, tail = ""] = /"text": "(a+)" … (\d+) characters … "(z+)"/.exec(shown) ?? [];
    expect(head.length + Number(left) + tail.length).toBe(9000);
    expect(shown.length).toBeLessThanOrEqual(4000);
    expect(shown.length).toBeGreaterThan(1000);
  });

  it.each<[string, JsonObject]>([
    ["a long value before them", { note: "x".repeat(90_000), to: "mallory", all: true }],
    ["many long values before them", { ...toMembers(20, "x".repeat(9000)), to: "mallory", all: true }],
    ["a long name before them", { ["x".repeat(9000)]: 1, to: "mallory", all: true }],
    ["a long text deep down before them", { a: [[{ b: ["x".repeat(9000)] }]], to: "mallory", all: true }],
    ["a value that grows when it is escaped", { a: "\u0000".repeat(3000), to: "mallory", all: true }],
  ])("shows the other members whole with %s", (_, given) => {
    const shown = shownOf(given) ?? "";
    expect(shown).toContain('\n  "to": "mallory",\n  "all": true\n}');
    expect(shown.length).toBeLessThanOrEqual(4000);
  });

  it("lets no value pass for what was left out of another", () => {
    const shown = shownOf({ text: `a" … 9 characters … "b${"x".repeat(9000)}` }) ?? "";
    expect(shown.match(/[^\\]" … \d+ characters … "/g)).toHaveLength(1);
  });

  it("cuts no character in two", () => {
    for (const pad of ["", "x"]) {
      const shown = shownOf({ text: `${pad}${"\u{1f600}".repeat(9000)}` }) ?? "";
      expect(shown.isWellFormed()).toBe(true);
      expect(shown).not.toContain("\\u");
    }
  });

  it.each<[string, JsonObject]>([
    ["members", toMembers(1000, 1)],
    ["items", { list: Array.from({ length: 1000 }, (_, n) => `item ${n}`) }],
    ["levels", JSON.parse(`{"a":${"[".repeat(60)}${"]".repeat(60)}}`) as JsonObject],
  ])("is not put where it has too many %s to be judged", (_, given) => {
    expect(toElicitationForm(question(given))).toBeUndefined();
  });
});

function toMembers(count: number, value: string | number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`member${n}`, value]));
}

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
