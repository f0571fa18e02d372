import { describe, expect, it } from "vitest";
import type { Question } from "../../model/call.js";
import type { JsonObject } from "../../model/json.js";
import { toElicitationForm, toVerdict } from "./question-form.js";

const question = (args: JsonObject, toolId = "github:delete_repo"): Question => ({
  id: "ap_1",
  toolId,
  risk: "destructive",
  riskOrigin: "the server says destructiveHint: true",
  arguments: args,
  ttlMs: 300_000,
});

/** The rows of the arguments, without the bar before each row. */
const rowsOf = (args: JsonObject): string[] | undefined =>
  toElicitationForm(question(args))
    ?.message.replace(/^[\s\S]*?\nArguments \(\d+\):\n/, "")
    .split("\n")
    .map((row) => {
      expect(row).toMatch(/^│ /);
      return row.slice(2);
    });
/** The arguments as the form shows them, with the rows of long strings joined. */
const shownOf = (args: JsonObject): string | undefined =>
  rowsOf(args)?.reduce((text, row) => (/^ *["\]}]/.test(row) ? `${text}\n${row}` : text + row));

describe("toElicitationForm", () => {
  it("shows the tool, its risk, the origin of the risk, and the arguments", () => {
    expect(toElicitationForm(question({ name: "alice/site", force: true }))?.message).toBe(
      [
        "The gateway asks: run github:delete_repo?",
        "Risk: destructive (the server says destructiveHint: true).",
        "Arguments (2):",
        '│ {\n│   "name": "alice/site",\n│   "force": true\n│ }',
      ].join("\n"),
    );
  });

  it("creates a form with one checkbox", () => {
    expect(toElicitationForm(question({}))?.requestedSchema).toEqual({
      type: "object",
      properties: { confirm: { type: "boolean", title: "Run it", description: expect.any(String) } },
      required: ["confirm"],
    });
  });

  it.each<[string, string]>([
    ["a line break that imitates a line of the question", "a\nRisk: low (harmless)."],
    ["a terminal escape sequence", "a\u001b[2Kb"],
    ["a C1 control", "a\u009bb"],
    ["a right-to-left override", "a\u202eb"],
    ["a line separator", "a\u2028b"],
    ["a tag character", "a\u{e0041}b"],
    ["a Hangul filler", "a\u3164b"],
    ["a blank Braille pattern", "a\u2800b"],
    ["a Hangul Choseong filler", "a\u115fb"],
    ["a no-break space", "a\u00a0b"],
    ["a zero-width joiner", "a\u200db"],
    ["a variation selector", "a\ufe0fb"],
    ["a wide space", "a\u3000b"],
  ])("escapes %s in an argument and in the tool id", (_, text) => {
    const message = toElicitationForm(question({ text }, `x:${text}`))?.message ?? "";
    expect(message).not.toContain(text);
    expect(message.split("\n").filter((line) => line.startsWith("Risk:"))).toHaveLength(1);
    expect(message).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u);
  });

  it("starts every row of a value with a bar and breaks long rows, so that no value imitates the gateway", () => {
    const text = `${"x".repeat(70)} The gateway asks: run it? Risk: low (harmless). ${"y".repeat(400)}`;
    const rows = toElicitationForm(question({ text }))?.message.split("\n") ?? [];
    expect(rows.every((row) => row.length <= 78)).toBe(true);
    expect(rows.filter((row) => !row.startsWith("│ "))).toEqual([
      "The gateway asks: run github:delete_repo?",
      "Risk: destructive (the server says destructiveHint: true).",
      "Arguments (1):",
    ]);
  });

  it("counts long runs of spaces instead of showing them", () => {
    expect(shownOf({ text: `ls${" ".repeat(3000)}; rm -rf /` })).toBe(
      '{\n  "text": "ls" … 3000 spaces … "; rm -rf /"\n}',
    );
    const imitated = shownOf({ text: `a" … 9 spaces … "b${" ".repeat(9)}` });
    expect(imitated?.match(/[^\\]" … \d+ spaces … "/g)).toHaveLength(1);
  });

  it("shows the members of _meta that would be sent", () => {
    const message = toElicitationForm({ ...question({ a: 1 }), meta: { "com.example/tenant": "b\u3164" } })?.message;
    expect(message).toMatch(
      /\nAlso sent to the server, in _meta:\n│ \{\n│ {3}"com.example\/tenant": "b\\u3164"\n│ \}$/,
    );
  });

  it("shows the notice of the gateway, and names the approval in _meta", () => {
    const form = toElicitationForm({ ...question({}), notice: "This sends everything below to x.example." });
    expect(form?.message.split("\n")).toContain("This sends everything below to x.example.");
    expect(form?._meta).toEqual({ "anygpt/approval": "ap_1" });
  });

  it("shows a call whole if it must be shown whole, or not at all", () => {
    const whole = (length: number) =>
      toElicitationForm({ ...question({ header: "h".repeat(length) }), isShownWhole: true })?.message;
    expect(whole(6000)?.replaceAll("\n│ ", "")).toContain("h".repeat(6000));
    expect(whole(12_000)).toBeUndefined();
  });

  it("shows both ends of a long value, and the number of characters omitted between them", () => {
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
    ["a long nested string before them", { a: [[{ b: ["x".repeat(9000)] }]], to: "mallory", all: true }],
    ["a value that grows when it is escaped", { a: "\u0000".repeat(3000), to: "mallory", all: true }],
  ])("shows the other members completely with %s", (_, args) => {
    const shown = shownOf(args) ?? "";
    expect(rowsOf(args)).toEqual(expect.arrayContaining(['  "to": "mallory",']));
    expect(shown).toMatch(/\n {2}"all": true,?\n/);
    expect(rowsOf(args)?.length).toBeLessThanOrEqual(40);
    expect(shown.length).toBeLessThanOrEqual(4000);
  });

  it("does not let a value imitate the mark for omitted characters", () => {
    const shown = shownOf({ text: `a" … 9 characters … "b${"x".repeat(9000)}` }) ?? "";
    expect(shown.match(/[^\\]" … \d+ characters … "/g)).toHaveLength(1);
  });

  it("does not split surrogate pairs", () => {
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
  ])("returns undefined for arguments with too many %s", (_, args) => {
    expect(toElicitationForm(question(args))).toBeUndefined();
  });
});

function toMembers(count: number, value: string | number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`member${n}`, value]));
}

describe("toVerdict", () => {
  it.each<[string, unknown, string]>([
    ["a ticked checkbox", { action: "accept", content: { confirm: true } }, "accepted"],
    ["decline", { action: "decline" }, "declined"],
    ["decline with a ticked checkbox", { action: "decline", content: { confirm: true } }, "declined"],
    ["cancel", { action: "cancel" }, "unanswered"],
    ["cancel with a ticked checkbox", { action: "cancel", content: { confirm: true } }, "unanswered"],
    ["an unticked checkbox", { action: "accept", content: { confirm: false } }, "unanswered"],
    ["an empty form", { action: "accept", content: {} }, "unanswered"],
    ["accept without a form", { action: "accept" }, "unanswered"],
    ["a string for the checkbox", { action: "accept", content: { confirm: "true" } }, "unanswered"],
    ["a number for the checkbox", { action: "accept", content: { confirm: 1 } }, "unanswered"],
    ["an array for the form", { action: "accept", content: [true] }, "unanswered"],
    ["an unknown action", { action: "yes", content: { confirm: true } }, "unanswered"],
    ["an answer that is not an object", "accept", "unanswered"],
    ["null", null, "unanswered"],
  ])("reads %s (%j) as %s", (_, answer, verdict) => {
    expect(toVerdict(answer)).toBe(verdict);
  });
});
