import { describe, expect, it } from "vitest";
import { compiledRiskLexicon } from "./compiled.js";
import { compileRiskLexicon, readRiskLexicon } from "./lexicon.js";

describe("compileRiskLexicon", () => {
  it("collects the words of each section in normal form", () => {
    const sections = compileRiskLexicon([
      { name: "a.txt", text: "# comment\n\n[delete]\ndelete Löschen\n" },
      { name: "b.txt", text: "[delete]\n削除\n[alarms]\nCannot be undone | will be lost\n" },
    ]);
    const lexicon = readRiskLexicon(sections);
    expect(sections["delete"]).toEqual(["delete", "loschen", "削除"]);
    expect(lexicon.unspaced).toEqual([["削除", "delete"]]);
    expect(lexicon.says("alarms", "this cannot be undone.")).toBe(true);
  });

  it("names the file and line of every error", () => {
    const text = "early\n[read]\nget\n[delete]\nget  drop\nget\n[nothing]\n";
    expect(() => compileRiskLexicon([{ name: "a.txt", text }])).toThrow(
      'a.txt:1: The line is in no section.\na.txt:5: Separate words with one space.\na.txt:6: "get" is also in [read].\na.txt:7: Unknown section [nothing].',
    );
  });

  it("accepts the files of the lexicon", () => {
    const sections = compiledRiskLexicon();
    expect(sections["delete"]).toContain("supprimer");
    expect(sections["money"]?.length).toBeGreaterThan(20);
  });
});
