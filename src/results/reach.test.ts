import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallResult } from "../model/call.js";
import { estimateTokens } from "./estimate-tokens.js";
import { nextReading, toPathKey } from "./next-reading.js";
import type { ReadRequest } from "./read-request.js";
import { readResult } from "./read-result.js";
import { runAtOnce } from "./slices.js";
import { viewResult } from "./view-result.js";

const MAX_TOKENS = 200;
const textResult = (text: string): CallResult => ({ content: [{ type: "text", text }] });

interface Shown {
  readonly text: string;
  readonly last: string;
}

function shown({ content }: CallResult): Shown {
  const texts = content.map((item) => String(item["text"]));
  const tokens = estimateTokens(texts.join("\n"));
  if (tokens > MAX_TOKENS) throw new Error(`The answer has ${tokens} tokens.`);
  const last = texts.at(-1) ?? "";
  return /^\[.*\]$/s.test(last) && texts.length > 1
    ? { text: texts.slice(0, -1).join("\n"), last }
    : { text: texts.join("\n"), last };
}

const read = (result: CallResult, request: ReadRequest): Shown =>
  shown(runAtOnce(readResult(result, request, { maxTokens: MAX_TOKENS })));

/** The call that the last line names. */
function nextOf({ last }: Shown): ReadRequest | undefined {
  const [, next] = /Next: (\{.*\})(?:; or one of .*)?\]$/.exec(last) ?? [];
  return next === undefined ? undefined : (JSON.parse(next) as ReadRequest);
}

function view(result: CallResult): Shown {
  const describeNext = (_: unknown, blocks: Parameters<typeof nextReading>[0]) =>
    `[Shortened: 9 characters, about 9 tokens. Next: ${JSON.stringify(nextReading(blocks))}; or one of select, grep.]`;
  return shown(runAtOnce(viewResult(result, { maxTokens: MAX_TOKENS, describeNext })));
}

/** Follows the calls that each answer names. */
function readOn(result: CallResult, first: ReadRequest): Shown[] {
  const all: Shown[] = [];
  for (let next: ReadRequest | undefined = first; next !== undefined; next = nextOf(all.at(-1)!)) {
    all.push(read(result, next));
    if (all.length > 3000) throw new Error("The reading does not end.");
  }
  return all;
}

/** The last line of the last answer; "whole" if the view is the whole result. */
function endOf(result: CallResult): string {
  const next = nextOf(view(result));
  return next === undefined ? "whole" : (readOn(result, next).at(-1)?.last ?? "");
}

const key = fc.oneof(
  fc.constantFrom("id", "name", "a.b", '"', "\n", "__proto__", "", "a b", "items", "…"),
  fc.string(),
);
const scalar = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constant("word ".repeat(300)),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("json"), { maxLength: 6 }),
    fc.dictionary(key, tie("json"), { maxKeys: 6 }),
  ),
}));
const document = fc.oneof(fc.array(json, { minLength: 1 }), fc.dictionary(key, json, { minKeys: 1 }));

function* leaves(value: unknown, path: string): Generator<readonly [string, unknown]> {
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, element] of value.entries()) yield* leaves(element, `${path}[${index}]`);
  } else if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
    for (const [name, member] of Object.entries(value))
      yield* leaves(member, path === "" ? toPathKey(name) : `${path}.${toPathKey(name)}`);
  } else yield [path, value];
}

describe("the call that an answer names", () => {
  it("reads on after the view of any JSON, to the end", () => {
    fc.assert(
      fc.property(document, fc.boolean(), (value, isText) => {
        const result: CallResult = isText
          ? textResult(JSON.stringify(value))
          : { content: [], structuredContent: value };
        expect(endOf(result)).toMatch(/^(?:\[(?:items|page|lines)|whole$)/);
      }),
      { numRuns: 50 },
    );
  });

  it("reads on after the view of any text, to the end", () => {
    const text = fc
      .array(fc.string({ unit: "binary", maxLength: 200 }), { minLength: 1, maxLength: 60 })
      .chain((lines) => fc.constantFrom("\n", "\r\n", " ", "").map((glue) => lines.join(glue)));
    fc.assert(
      fc.property(text, (given) => {
        expect(endOf(textResult(given))).toMatch(/^(?:\[(?:items|page|lines)|whole$)/);
      }),
      { numRuns: 300 },
    );
  });
});

describe("every value of a result", () => {
  it("is what select returns for its path, or what the next calls read", () => {
    fc.assert(
      fc.property(document, (value) => {
        const result = textResult(JSON.stringify(value));
        for (const [path, leaf] of leaves(value, "")) {
          const answer = read(result, { select: path });
          const expected = typeof leaf === "string" && leaf.trim() !== "" ? leaf : JSON.stringify(leaf);
          if (answer.text === expected) continue;
          const pages = readOn(result, { page: 1, path });
          expect(pages.map(({ text }) => text).join("")).toBe(expected);
          expect(nextOf(answer)).toBeDefined();
        }
      }),
      { numRuns: 25 },
    );
  });
});
