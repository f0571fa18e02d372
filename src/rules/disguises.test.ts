// A server chooses the names of its tools. These tests generate spellings of a name that look like it or have the same
// letters, and check that no rule for the name can be escaped by one of them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileRules } from "./compile.js";
import { decideRules } from "./decide.js";
import type { NormalizedToolRule } from "./options.js";

const INVISIBLE = Array.from(
  "\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u202e\u2060\u2064\u2066\u3164\ufe0f\ufeff" +
    "\uffa0\u{e0001}\u{e0041}\u{e0100}\u{1d173}\0\u0007\u0085\ufff9\u2800",
);
const SPACES = Array.from("\t\n\r \u00a0\u1680\u2003\u200a\u2028\u202f\u205f\u3000");
const MARKS = Array.from("\u0301\u0308\u0327\u0336\u0489\u0902\u1ab0\u1dc4\u20d0\u20dd\u302a\ufe20");
const ACCENTED: Readonly<Record<string, string>> = {
  a: "àåǎ",
  c: "çč",
  e: "éēệ",
  i: "íïı",
  n: "ñń",
  o: "öő",
  s: "šſ",
  u: "üų",
};

/** The code points at which the styled alphabets of Unicode start that have no gap in their small letters. */
const ALPHABETS = [0xff41, 0x24d0, 0x1d41a, 0x1d482, 0x1d4ea, 0x1d586, 0x1d5ba, 0x1d68a];

type Disguise = (letter: string, choice: number) => string;
const pick = (from: readonly string[] | string, choice: number): string => {
  const all = Array.from(from);
  return all[choice % all.length] ?? "";
};
const DISGUISES: readonly Disguise[] = [
  (letter) => letter,
  (letter) => letter.toUpperCase(),
  (letter, choice) =>
    /[a-z]/.test(letter)
      ? String.fromCodePoint((ALPHABETS[choice % ALPHABETS.length] ?? 0) + letter.charCodeAt(0) - 97)
      : letter,
  (letter, choice) => letter + pick(INVISIBLE, choice),
  (letter, choice) => letter + pick(SPACES, choice),
  (letter, choice) => letter + pick(MARKS, choice),
  (letter, choice) => pick(ACCENTED[letter] ?? letter, choice),
];

const name = fc.stringMatching(/^[a-z]{2,8}(_[a-z]{1,8}){0,2}$/);
const steps = fc.array(fc.tuple(fc.nat(DISGUISES.length - 1), fc.nat(1_000)), { minLength: 1, maxLength: 30 });
const disguised = (text: string, choices: readonly (readonly [number, number])[]): string =>
  Array.from(text)
    .map((letter, index) => {
      const [kind = 0, choice = 0] = choices[index % choices.length] ?? [];
      return DISGUISES[kind]?.(letter, choice) ?? letter;
    })
    .join("");

/** The patterns that an operator can write for a name. */
const PATTERNS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => `${text.slice(0, 2)}*`,
  (text) => `*${text.slice(1)}`,
  (text) => `*${text.slice(0, -1)}*`,
  (text) => `[${text[0] ?? ""}]${text.slice(1)}`,
  (text) => `?${text.slice(1)}`,
  (text) => `{never,${text}}`,
  (text) => `/${text}/`,
  (text) => `/${text}/i`,
  (text) => `/^${text}$/`,
  (text) => `/^${text.toUpperCase()}$/`,
  (text) => `srv:${text}`,
  (text) => `/^srv:${text}$/`,
];

async function isEnabled(rules: readonly NormalizedToolRule[], tool: string): Promise<boolean> {
  return decideRules(await compileRules(rules), { server: "srv", name: tool }).enabled;
}

describe("disguised names", () => {
  it.each([
    ["delete*", "delet\u0065\u0301_file"],
    ["/delete/i", "ｄｅｌｅｔｅ_file"],
    ["/^delete_file$/", "delete_file\n"],
    ["delete_file", "del\u200bete_file"],
    ["*οδος", "ΟΔΟΣ"],
    ["/οδος/i", "ΟΔΟΣ"],
  ])("the deny %j applies to %j", async (pattern, tool) => {
    expect(await isEnabled([{ pattern: [pattern], enabled: false }], tool)).toBe(false);
  });

  it("the exclusion of an allow-list applies to a disguised name", async () => {
    const rules = [{ pattern: ["*", "!*read*"], enabled: true }];
    expect(await isEnabled(rules, "ｒead_file")).toBe(false);
  });

  it("no generated disguise of a name escapes a deny for it", async () => {
    await fc.assert(
      fc.asyncProperty(name, steps, fc.nat(PATTERNS.length - 1), async (text, choices, kind) => {
        const pattern = PATTERNS[kind]?.(text) ?? text;
        expect(await isEnabled([{ pattern: [pattern], enabled: false }], disguised(text, choices))).toBe(false);
        const allowed = [{ pattern: ["*", `!${pattern}`], enabled: true }];
        expect(await isEnabled(allowed, disguised(text, choices))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it("no spelling of a server's name escapes a rule for the server", async () => {
    await fc.assert(
      fc.asyncProperty(name, steps, async (text, choices) => {
        const rules = await compileRules([{ server: text, pattern: ["*"], enabled: false }]);
        expect(decideRules(rules, { server: disguised(text, choices), name: "x" }).enabled).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it.each(["A\u0300\ufc5e\u4e00", "a\ufc5e\u4e00"])("no spelling of %j escapes a regex for it", async (text) => {
    for (const form of ["NFC", "NFKC", "NFKD"])
      expect(await isEnabled([{ pattern: [`/^${text}$/`], enabled: false }], text.normalize(form))).toBe(false);
  });

  it("no Unicode normalization form or case of a name escapes a deny for it", async () => {
    const letters = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      .filter((text) => /^[\p{L}\p{M}]+$/u.test(text));
    const forms = fc.constantFrom("NFC", "NFD", "NFKC", "NFKD");
    const cases = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.toUpperCase(),
      (text) => text.toLowerCase(),
    );
    await fc.assert(
      fc.asyncProperty(letters, forms, cases, fc.boolean(), async (text, form, recase, isRegex) => {
        const pattern = isRegex ? `/^${text}$/` : text;
        expect(await isEnabled([{ pattern: [pattern], enabled: false }], recase(text).normalize(form))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});
