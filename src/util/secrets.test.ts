import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
    ["as it is", ODD],
    ["in an address", escapes(ODD)],
    ["in an address, in lower case", lower(escapes(ODD))],
    ["in an address twice", escapes(escapes(ODD))],
    ["in a form", new URLSearchParams({ a: ODD }).toString().slice(2)],
    ["in a form, in lower case", lower(new URLSearchParams({ a: ODD }).toString().slice(2))],
    ["as a password before a host", Object.assign(new URL("http://h"), { password: ODD }).password],
    ["in an address that was written without escapes", encodeURI(ODD)],
    ["in JSON", JSON.stringify(ODD).slice(1, -1)],
    ["in JSON within JSON", JSON.stringify(JSON.stringify(ODD)).slice(3, -3)],
    ["in JSON of ASCII alone", ascii(ODD).slice(1, -1)],
    ["in JSON with escaped slashes", JSON.stringify(ODD).slice(1, -1).replaceAll("/", "\\/")],
    ["in hexadecimal", Buffer.from(ODD).toString("hex")],
    ["in hexadecimal of capitals", Buffer.from(ODD).toString("hex").toUpperCase()],
  ])("hides a value %s", (_, form) => {
    expect(secretsOf(ODD).redact(`before ${form} after`)).toBe("before *** after");
  });

  it.each([0, 1, 2, 3, 4])("hides what is base64 of a value after %i other bytes", (before) => {
    for (const after of ["", "x", "xy", "xyz"]) {
      for (const encode of [base64, base64url]) {
        const encoded = encode(`${"u".repeat(before)}hunter2-and>more?~~${after}`);
        const hidden = secretsOf("hunter2-and>more?~~").redact(encoded);
        expect(hidden).toContain("***");
        // What is left are the neighbours, and at each end one character that they share.
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
    ["the longest where several begin", "secret-and-more", "secret-and-more", "***"],
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
    ["truth values", "production", "production"],
    ["small numbers", "3600000", "3600000"],
    ["what it was told is ordinary", "/home/someone", "/home/someone"],
    ["folders", "/opt/thing/data", "/opt/thing/data"],
    ["a plain word", "notion", "notion:search_pages"],
    ["a plain word with a capital and blanks", " Search ", "Search"],
    ["plain addresses", "https://api.example.com/v1/mcp", "https://api.example.com/v1/mcp"],
  ])("leaves %s", (_, value, text) => {
    expect(secretsOf(value).redact(`see ${text}.`)).toBe(`see ${text}.`);
  });

  it("hides all of two values that overlap", () => {
    expect(secretsOf("alpha-beta", "beta-gamma").redact("x alpha-beta-gamma y")).toBe("x *** y");
  });

  it("hides what is noted after the first use", () => {
    const secrets = secretsOf("first-one");
    expect(secrets.redact("first-one second-one")).toBe("*** second-one");
    secrets.note("second-one");
    expect(secrets.redact("first-one second-one")).toBe("*** ***");
  });

  it("hides further values for one reader only, and notes for all", () => {
    const all = secretsOf("shared-one");
    const own = all.with(["own-value"]);
    own.note("late-value");
    expect(own.redact("shared-one own-value late-value")).toBe("*** *** ***");
    expect(all.redact("shared-one own-value late-value")).toBe("*** own-value ***");
  });

  it("leaves nothing of any value in any text", () => {
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

  it("hides a value of thousands of characters, whole and where it overlaps with itself, and nothing less of it", () => {
    const value = `${"x9".repeat(1000)}!${"x9".repeat(1000)}`;
    const secrets = secretsOf(value, "x9".repeat(32));
    const short = secretsOf(value);
    expect(short.redact(`a ${value} b ${value}`)).toBe("a *** b ***");
    expect(short.redact(`a ${value}!${"x9".repeat(1000)} b`)).toBe("a *** b");
    expect(short.redact(`a ${value.slice(0, -1)} b`)).toBe(`a ${value.slice(0, -1)} b`);
    expect(short.redact(`x9${value}`)).toBe("x9***");
    expect(secrets.redact(`a ${"x9".repeat(32)}! b ${value} c`)).toBe("a ***! b *** c");
  });

  it.each<[string, string, string]>([
    ["that it is in, again and again", "x9".repeat(4000), "x9".repeat(300_000)],
    ["that almost holds it everywhere", `${"x9".repeat(4000)}!`, "x9".repeat(300_000)],
    ["that begins with it everywhere", `${"a".repeat(8000)}b`, `${"a".repeat(7999)}c`.repeat(75)],
  ])("takes a text %s in a moment, for a value that is like itself", (_, value, text) => {
    const secrets = secretsOf(value);
    secrets.redact("");
    const start = process.cpuUsage();
    secrets.redact(text);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2500);
  });

  it("takes a megabyte with hundreds of values in a moment, whatever the text", () => {
    const secrets = createSecrets();
    for (let count = 0; count < 300; count++) secrets.note(`sk-live-${base64(`value number ${count}`)}`);
    secrets.note(`${"a".repeat(64)}b`);
    secrets.redact("");
    const texts = ["a".repeat(1 << 20), "sk-live".repeat(150_000), base64("The quick brown fox. ".repeat(40_000))];
    const start = process.cpuUsage();
    for (const text of texts) expect(secrets.redact(text)).toBe(text);
    const { user } = process.cpuUsage(start);
    // The worst of texts; an ordinary one takes a tenth. The bound leaves room for a machine that is busy with other tests.
    expect(user / 1000 / texts.length).toBeLessThan(400);
  });
});

describe("redactValue", () => {
  it("hides values in every text, name and number, however deep", () => {
    const data = { a: ["x s3cret-key", { "s3cret-key": { n: 1_234_567_890, m: 5, t: true, z: null } }] };
    expect(secretsOf("s3cret-key", "1234567890").redactValue(data)).toEqual({
      a: ["x ***", { "***": { n: "***", m: 5, t: true, z: null } }],
    });
  });

  it("gives the same object when nothing is noted", () => {
    const data = { a: 1 };
    expect(secretsOf().redactValue(data)).toBe(data);
  });

  it("ends on data that is too deep, too much or in a circle", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(JSON.stringify(secretsOf("s3cret-key").redactValue(circle))).toContain("(too deep)");
    const much = secretsOf("s3cret-key").redactValue(Array.from({ length: 200_000 }, () => "s3cret-key")) as string[];
    expect(much.at(0)).toBe("***");
    expect(much.at(-1)).toBe("(too much)");
  });
});

describe("redactError", () => {
  it("hides values in everything that an error says, and in its causes", () => {
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

  it("gives the same error when nothing is noted", () => {
    const error = new DiscoveryError("CANCELLED", "x");
    expect(secretsOf().redactError(error)).toBe(error);
  });
});

describe("a value that passes", () => {
  const HOUR_MS = 3_600_000;
  const token = (number: number): string => `eyJhbGciOiJSUzI1NiJ9.${number}.${"k3Yq".repeat(10)}${number}`;

  it("is hidden for an hour after it was told, and forgotten after two", () => {
    let now = 0;
    const secrets = createSecrets([], () => now);
    secrets.note(token(1));
    secrets.notePassing(token(2));
    now = HOUR_MS;
    secrets.notePassing(token(3));
    expect(secrets.redact(`${token(1)} ${token(2)} ${token(3)}`)).toBe("*** *** ***");
    now = 2 * HOUR_MS;
    secrets.notePassing(token(3));
    expect(secrets.redact(`${token(1)} ${token(3)}`)).toBe("*** ***");
    expect(secrets.redact(token(2))).not.toBe("***");
    expect(secrets.with([]).redact(token(3))).toBe("***");
  });
});
