import { readdirSync, readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, describe, expect, it } from "vitest";
import { ERRORS, type ErrorCode } from "../src/errors.js";
import { describeDiscoveryStep } from "../src/metatools/next-steps.js";
import { toErrorObject } from "../src/metatools/to-error-object.js";
import { toFailedResult } from "../src/surfaces/mcp/gateway-server.js";
import { errorSamples, type ErrorSample } from "./support/error-samples.js";

describe("the errors that a model reads", () => {
  let samples: ErrorSample[];
  const textOf = ({ error }: ErrorSample): string =>
    String(toFailedResult(error, describeDiscoveryStep).content[0]?.["text"]);

  beforeAll(async () => {
    samples = await errorSamples();
  });

  it("have a sample for every code", () => {
    expect(new Set(samples.map(({ error }) => error.code))).toEqual(new Set(Object.keys(ERRORS)));
  });

  it("take at most 60 tokens in the median, and at most 130 each", () => {
    const counts = samples.map((sample) => ({ name: sample.name, tokens: encode(textOf(sample)).length }));
    counts.sort((a, b) => a.tokens - b.tokens);
    expect(counts[Math.floor(counts.length / 2)]?.tokens).toBeLessThanOrEqual(60);
    expect(counts.filter(({ tokens }) => tokens > 130)).toEqual([]);
  });

  it("say to call again exactly if they are retryable, and never after the tool may have run", () => {
    for (const { name, error } of samples) {
      const { hint = "", retryable, executed } = toErrorObject(error, describeDiscoveryStep).error;
      expect({ name, saysAgain: /(?:^|[.?] )Call again\b/.test(hint) }).toEqual({
        name,
        saysAgain: retryable,
      });
      const contradictions = [
        retryable && executed !== "no",
        retryable && /before you repeat|do not repeat|not run the call again/i.test(hint),
        executed !== "no" && /(?:^|[.?] )(?:Try|Call) again\b/.test(hint),
      ];
      expect({ name, hint, contradictions }).toEqual({ name, hint, contradictions: [false, false, false] });
    }
  });

  it("contain no request id, time, stack frame or path of this machine", () => {
    for (const sample of samples) {
      const text = textOf(sample);
      expect(text).not.toMatch(/request_id|01a1ef9d|\d{4}-\d\d-\d\dT/);
      expect(text).not.toMatch(/\bat \S+ \(|\/home\/|node_modules|stderr/);
    }
  });

  it("have the other details in _meta", () => {
    for (const { error } of samples) {
      const { _meta } = toFailedResult(error, describeDiscoveryStep);
      const { code, executed, retryable } = error;
      expect(_meta).toMatchObject({ "anygpt/error": { code, executed, retryable, request_id: expect.any(String) } });
      expect(JSON.stringify(_meta)).not.toMatch(/\bat \S+ \(/);
    }
  });
});

/** The codes of errors that may have the next step `retry`. The last two have it if nothing was sent. */
const RETRYABLE = new Set([
  ...Object.keys(ERRORS).filter((code) => ERRORS[code as ErrorCode].retryable),
  "TOOL_EXECUTION_ERROR",
  "TOOL_EXECUTION_TIMEOUT",
]);
/** Errors of commands that edit files. A model never gets them. */
const COMMAND_LINE = /^operations\/files\//;

it("no error in the source has the next step retry unless its code can be retryable", () => {
  const src = new URL("../src/", import.meta.url);
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !COMMAND_LINE.test(file),
  );
  const found: string[] = [];
  for (const file of files) {
    const source = readFileSync(new URL(file, src), "utf8");
    for (const made of source.split("new DiscoveryError(").slice(1)) {
      const body = made.slice(0, made.search(/\n\s*\}?\);\n|\n\}/));
      const [, code] = /^\s*"(\w+)"/.exec(body) ?? [];
      const saysLater = /(?:try|call|repeat)(?: the call| it)? (?:again )?later/i.test(body);
      if (code !== undefined && body.includes('action: "retry"') && !RETRYABLE.has(code))
        found.push(`${file}: ${code}`);
      if (saysLater && !body.includes('action: "retry"')) found.push(`${file}: ${code} says "later" without a step`);
    }
  }
  expect(found).toEqual([]);
});
