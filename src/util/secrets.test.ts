import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectCpuTime, expectLinear, flat } from "../../test/support/cost.js";
import { DiscoveryError } from "../errors.js";
import { createSecrets, type Secrets } from "./secrets.js";

function secretsOf(...values: string[]): Secrets {
  const secrets = createSecrets(["/home/someone", "someone"]);
  for (const value of values) secrets.note(value);
  return secrets;
}

const ODD = `pä"ss\\w/ö+r d&=%'(~)`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const base64url = (text: string): string => Buffer.from(text).toString("base64url");
const escapes = (text: string): string => encodeURIComponent(text);
const lower = (text: string): string => text.replace(/%../g, (escape) => escape.toLowerCase());
const ascii = (text: string): string =>
  JSON.stringify(text).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

describe("redact", () => {
  it.each<[string, string]>([
    ["unencoded", ODD],
    ["in an address", escapes(ODD)],
    ["in an address, in lower case", lower(escapes(ODD))],
    ["in an address twice", escapes(escapes(ODD))],
    ["in a form", new URLSearchParams({ a: ODD }).toString().slice(2)],
    ["in a form, in lower case", lower(new URLSearchParams({ a: ODD }).toString().slice(2))],
    ["as a password before a host", Object.assign(new URL("http://h"), { password: ODD }).password],
    ["in an address encoded with encodeURI", encodeURI(ODD)],
    ["in JSON", JSON.stringify(ODD).slice(1, -1)],
    ["in JSON within JSON", JSON.stringify(JSON.stringify(ODD)).slice(3, -3)],
    ["in ASCII-only JSON", ascii(ODD).slice(1, -1)],
    ["in JSON with escaped slashes", JSON.stringify(ODD).slice(1, -1).replaceAll("/", "\\/")],
    ["in hexadecimal", Buffer.from(ODD).toString("hex")],
    ["in upper-case hexadecimal", Buffer.from(ODD).toString("hex").toUpperCase()],
  ])("hides a value %s", (_, form) => {
    expect(secretsOf(ODD).redact(`before ${form} after`)).toBe("before *** after");
  });

  it.each([0, 1, 2, 3, 4])("hides the base64 form of a value after %i other bytes", (before) => {
    for (const after of ["", "x", "xy", "xyz"]) {
      for (const encode of [base64, base64url]) {
        const encoded = encode(`${"u".repeat(before)}hunter2-and>more?~~${after}`);
        const hidden = secretsOf("hunter2-and>more?~~").redact(encoded);
        expect(hidden).toContain("***");
        // Only the bytes next to the value remain, and at each end one character that also encodes a part of the value.
        expect(hidden.replace(/=+$/, "").length).toBeLessThanOrEqual(
          3 + Math.ceil(((before + after.length) * 4) / 3) + 2,
        );
      }
    }
  });

  it.each<[string, string, string, string]>([
    ["a token without its scheme", "Bearer tok-12345", "got tok-12345", "got ***"],
    [
      "the lines of a key",
      "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END KEY-----",
      "at MIIEvQIBADANBgkqhkiG:",
      "at ***:",
    ],
    ["the password of an address", "postgres://me:hunter%2123@db/x", "bad hunter!23", "bad ***"],
    ["the key in the query of an address", "https://h/p?k=1&key=abcdef123456", "no abcdef123456", "no ***"],
    ["the texts in a JSON value", '{"Authorization": "Bearer ntn_12345678"}', "no ntn_12345678", "no ***"],
    ["the longest of several overlapping values", "secret-and-more", "secret-and-more", "***"],
    ["a plain word that is the password of an address", "postgres://me:hunter@db/x", "bad hunter", "bad ***"],
    ["a plain word that is a token after its scheme", "Bearer letmein", "no letmein", "no ***"],
    ["letters of both cases", "aBcDeFgHiJ", "no aBcDeFgHiJ", "no ***"],
    ["a word that is too long for a language", "abcdefghijklmnop", "no abcdefghijklmnop", "no ***"],
    ["a number of many digits", "123456789", "pin 123456789", "pin ***"],
  ])("hides %s", (_, value, text, expected) => {
    expect(secretsOf("secret", value).redact(text)).toBe(expected);
  });

  it.each<[string, string, string]>([
    ["a scheme", "Bearer tok-12345", "Bearer"],
    ["words of a language", "This token is a secret-1234", "This token is a"],
    ["short values", "abc12", "abc12"],
    ["common settings", "production", "production"],
    ["small numbers", "3600000", "3600000"],
    ["values declared as ordinary", "/home/someone", "/home/someone"],
    ["folders", "/opt/thing/data", "/opt/thing/data"],
    ["a plain word", "notion", "notion:search_pages"],
    ["a plain word with a capital and blanks", " Search ", "Search"],
    ["plain addresses", "https://api.example.com/v1/mcp", "https://api.example.com/v1/mcp"],
  ])("leaves %s", (_, value, text) => {
    expect(secretsOf(value).redact(`see ${text}.`)).toBe(`see ${text}.`);
  });

  it("hides two overlapping values completely", () => {
    expect(secretsOf("alpha-beta", "beta-gamma").redact("x alpha-beta-gamma y")).toBe("x *** y");
  });

  it("hides values that are noted after the first use", () => {
    const secrets = secretsOf("first-one");
    expect(secrets.redact("first-one second-one")).toBe("*** second-one");
    secrets.note("second-one");
    expect(secrets.redact("first-one second-one")).toBe("*** ***");
  });

  it("hides further values for one reader only, and notes values for all", () => {
    const all = secretsOf("shared-one");
    const own = all.with(["own-value"]);
    own.note("late-value");
    expect(own.redact("shared-one own-value late-value")).toBe("*** *** ***");
    expect(all.redact("shared-one own-value late-value")).toBe("*** own-value ***");
  });

  it("leaves no part of any value in any text", () => {
    const value = fc.string({ minLength: 8, maxLength: 40, unit: "grapheme-ascii" }).map((text) => `k9${text}z9`);
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), fc.string(), (values, between) => {
        const secrets = secretsOf(...values);
        for (const one of values) {
          for (const form of [one, escapes(one), JSON.stringify(one).slice(1, -1), base64(one)]) {
            const hidden = secrets.redact(`${between}${form}${between}`);
            expect(hidden).toContain("***");
            expect(hidden.replaceAll(between, "")).not.toContain(form);
          }
        }
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it("hides a value of thousands of characters, including overlapping occurrences, but no incomplete ones", () => {
    const value = `${"x9".repeat(1000)}!${"x9".repeat(1000)}`;
    const secrets = secretsOf(value, "x9".repeat(32));
    const short = secretsOf(value);
    expect(short.redact(`a ${value} b ${value}`)).toBe("a *** b ***");
    expect(short.redact(`a ${value}!${"x9".repeat(1000)} b`)).toBe("a *** b");
    expect(short.redact(`a ${value.slice(0, -1)} b`)).toBe(`a ${value.slice(0, -1)} b`);
    expect(short.redact(`x9${value}`)).toBe("x9***");
    expect(secrets.redact(`a ${"x9".repeat(32)}! b ${value} c`)).toBe("a ***! b *** c");
  });

  it.each<[string, (size: number) => string, (size: number) => string]>([
    ["contains it again and again", (size) => "x9".repeat(size), (size) => "x9".repeat(75 * size)],
    ["almost contains it everywhere", (size) => `${"x9".repeat(size)}!`, (size) => "x9".repeat(75 * size)],
    ["begins with it everywhere", (size) => `${"a".repeat(size)}b`, (size) => `${"a".repeat(size - 1)}c`.repeat(75)],
  ])(
    "takes time in proportion to the text when a repetitive value and a text that %s grow together",
    async (...row) => {
      const [, valueOf, textOf] = row;
      await expectLinear((size) => {
        const [secrets, text] = [secretsOf(valueOf(size)), flat(textOf(size))];
        secrets.redact("");
        return () => secrets.redact(text);
      }, 200);
    },
  );

  it.each<[string, string]>([
    ["repeats one character", "a".repeat(1 << 18)],
    ["repeats the beginning of the values", "sk-live".repeat(40_000)],
    ["is encoded", base64("The quick brown fox. ".repeat(10_000))],
  ])("takes about as long with hundreds of values as with a few when the text %s", async (_, text) => {
    const redactWith = (count: number) => {
      const secrets = createSecrets();
      for (let number = 0; number < count; number++) secrets.note(`sk-live-${base64(`value number ${number}`)}`);
      secrets.note(`${"a".repeat(64)}b`);
      expect(secrets.redact(text)).toBe(text);
      return () => secrets.redact(text);
    };
    await expectCpuTime(redactWith(320), { maxRatio: 6, control: redactWith(5) });
  });
});

describe("redactValue", () => {
  it("hides values in every text, name and number, at any depth", () => {
    const data = { a: ["x s3cret-key", { "s3cret-key": { n: 1_234_567_890, m: 5, t: true, z: null } }] };
    expect(secretsOf("s3cret-key", "1234567890").redactValue(data)).toEqual({
      a: ["x ***", { "***": { n: "***", m: 5, t: true, z: null } }],
    });
  });

  it("returns the same object if nothing is noted", () => {
    const data = { a: 1 };
    expect(secretsOf().redactValue(data)).toBe(data);
  });

  it("terminates on data that is too deep, too large or circular", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(JSON.stringify(secretsOf("s3cret-key").redactValue(circle))).toContain("(too deep)");
    const much = secretsOf("s3cret-key").redactValue(Array.from({ length: 200_000 }, () => "s3cret-key")) as string[];
    expect(much.at(0)).toBe("***");
    expect(much.at(-1)).toBe("(too much)");
  });
});

describe("redactError", () => {
  it("hides values in all texts of an error and in its causes", () => {
    const cause = Object.assign(new TypeError("at s3cret-key", { cause: { url: "http://s3cret-key" } }), {
      code: "EX",
    });
    const error = new DiscoveryError("SERVER_CONNECTION_ERROR", "/opt/s3cret-key was not found.", {
      hint: "Look at s3cret-key.",
      facts: { stderr: ["a", "with s3cret-key"], nested: { deep: "s3cret-key" }, status: 5 },
      server: "x",
      executed: "unknown",
      cause: new DiscoveryError("CANCELLED", "s3cret-key", { cause }),
    });
    const hidden = secretsOf("s3cret-key").redactError(error);
    expect(hidden).toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      message: "/opt/*** was not found.",
      hint: "Look at ***.",
      facts: { stderr: ["a", "with ***"], nested: { deep: "***" }, status: 5 },
      server: "x",
      executed: "unknown",
      cause: {
        message: "***",
        cause: { name: "TypeError", message: "at ***", code: "EX", cause: { url: "http://***" } },
      },
    });
    expect(hidden.stack).not.toContain("s3cret-key");
    expect((hidden.cause as Error).stack).not.toContain("s3cret-key");
  });

  it("returns the same error if nothing is noted", () => {
    const error = new DiscoveryError("CANCELLED", "x");
    expect(secretsOf().redactError(error)).toBe(error);
  });
});

describe("noteTemporary", () => {
  const HOUR_MS = 3_600_000;
  const token = (number: number): string => `eyJhbGciOiJSUzI1NiJ9.${number}.${"k3Yq".repeat(10)}${number}`;

  it("hides a value for an hour after it was noted, and forgets it after two", () => {
    let now = 0;
    const secrets = createSecrets([], () => now);
    secrets.note(token(1));
    secrets.noteTemporary(token(2));
    now = HOUR_MS;
    secrets.noteTemporary(token(3));
    expect(secrets.redact(`${token(1)} ${token(2)} ${token(3)}`)).toBe("*** *** ***");
    now = 2 * HOUR_MS;
    secrets.noteTemporary(token(3));
    expect(secrets.redact(`${token(1)} ${token(3)}`)).toBe("*** ***");
    expect(secrets.redact(token(2))).not.toBe("***");
    expect(secrets.with([]).redact(token(3))).toBe("***");
  });
});
