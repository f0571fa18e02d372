import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import { invalidRequest } from "../util/invalid-request.js";
import { indexReadable, type ReadableValue, toReadableResult, toReadablePart } from "./addressable-text.js";
import { estimateTokens } from "./estimate-tokens.js";
import { cutToTokens } from "./fit-tokens.js";
import { parseJmesPath } from "./jmespath/parser.js";
import { readGrep } from "./read-grep.js";
import { readItems } from "./read-items.js";
import { readLines } from "./read-lines.js";
import { readPage } from "./read-page.js";
import { describeNextCall, readKindOf, type ReadOptions, type ReadRequest } from "./read-request.js";
import type { ResultBlock } from "./result-blocks.js";
import { isShort, jsonOf, selectValue } from "./select-value.js";
import type { Slices } from "./slices.js";
import { viewBlocks } from "./view-blocks.js";
import { replaceText, type ResultSize, sizeOfBlocks, viewResult } from "./view-result.js";
import { writeJsonText } from "./write-json.js";

/** How many elements or lines the next call after a view reads. */
const NEXT_COUNT = 50;

/**
 * Reads a part of a result: selected values, matching lines, a range of lines or elements, a page, or the view of the
 * whole if the request names nothing. Throws a `DiscoveryError` if the request is wrong or the range does not exist.
 */
export function* readResult(result: CallResult, request: ReadRequest, options: ReadOptions): Slices<CallResult> {
  const kind = readKindOf(request);
  if (kind === undefined) {
    const describeNext = options.describeNext ?? ((size) => describeView(size, options, { page: 1 }));
    return yield* viewResult(result, { maxTokens: options.maxTokens, describeNext });
  }
  const whole = yield* toReadableResult(result);
  if (kind === "select") return toText(yield* writeSelection(whole, request.select ?? "", options));
  let readable = whole;
  if (request.path !== undefined) {
    const selection = yield* selectValue(whole, request.path);
    if (selection.kind === "nothing")
      throw invalidRequest(selection.description, "Correct `path`, or leave it out to read the whole result.");
    readable = toReadablePart(selection.value);
  }
  if (kind === "page") return toText(yield* readPage(yield* readable.raw(), request, options));
  if (kind === "items") return toText(yield* readItems(itemsOf(readable.blocks), request, options));
  const index = yield* indexReadable(readable);
  return toText(yield* (kind === "grep" ? readGrep : readLines)(index, request, options));
}

/** Throws a `DiscoveryError` if the expression is not valid, before a call is made whose result it selects from. */
export function checkSelection(expression: string): void {
  parseJmesPath(expression);
}

/**
 * Applies an expression to the result of a call that has just run. Because the call cannot be repeated without
 * consequences, an expression that fails gives the view of the whole result with the reason as its first line. The
 * result of a failed call is not selected from.
 */
export function* selectResult(result: CallResult, expression: string, options: ReadOptions): Slices<CallResult> {
  const describeNext = options.describeNext ?? ((size) => describeView(size, options, { page: 1 }));
  if (result.isError === true) return yield* viewResult(result, { maxTokens: options.maxTokens, describeNext });
  try {
    return replaceText(result, yield* writeSelection(yield* toReadableResult(result), expression, options));
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    const reason = cutToTokens(`[select was not applied. ${error.message}]`, Math.floor(options.maxTokens / 3));
    const maxTokens = options.maxTokens - estimateTokens(reason) - 1;
    const view = yield* viewResult(result, { maxTokens, describeNext });
    return { ...view, content: [{ type: "text", text: reason }, ...view.content] };
  }
}

function* writeSelection(readable: ReadableValue, expression: string, options: ReadOptions): Slices<string> {
  const { maxTokens } = options;
  const selection = yield* selectValue(readable, expression);
  if (selection.kind === "nothing") {
    const next = options.describeCall === undefined ? "" : `\n[${describeNextCall(options, { page: 1 })}]`;
    return `${cutToTokens(selection.description, maxTokens - estimateTokens(next))}${next}`;
  }
  const { value } = selection;
  const text = typeof value === "string" ? value : yield* writeJsonText(value, { maxCharacters: maxTokens * 40 });
  if (text !== undefined && isShort(text, maxTokens)) return text;
  const { blocks } = toReadablePart(value);
  const next: ReadRequest = Array.isArray(value)
    ? { items: `0-${Math.min(NEXT_COUNT, value.length) - 1}`, path: expression }
    : { lines: `1-${NEXT_COUNT}`, path: expression };
  const last = describeView(yield* sizeOfBlocks(blocks), options, next);
  const view = yield* viewBlocks(blocks, maxTokens - estimateTokens(last) - 1);
  return `${view}\n${last}`;
}

function describeView({ characters, tokens }: ResultSize, options: ReadOptions, next: ReadRequest): string {
  const size = `${characters.toLocaleString("en-US")} characters, about ${tokens.toLocaleString("en-US")} tokens`;
  return `[Shortened: ${size}. ${describeNextCall(options, next)}]`;
}

function itemsOf(blocks: readonly ResultBlock[]): unknown {
  try {
    return jsonOf(blocks);
  } catch {
    throw invalidRequest(
      "The result is text, not JSON, so that it has no items.",
      'Use lines with a range such as "1-100", or grep with a regular expression.',
    );
  }
}

function toText(text: string): CallResult {
  return { content: [{ type: "text", text }] };
}
