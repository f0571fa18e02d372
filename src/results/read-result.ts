import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import { invalidRequest } from "../util/invalid-request.js";
import { indexBlocks, readRawText, toPartBlocks } from "./addressable-text.js";
import { estimateTokens } from "./estimate-tokens.js";
import { cutToTokens } from "./fit-tokens.js";
import { parseJmesPath } from "./jmespath/parser.js";
import { readGrep } from "./read-grep.js";
import { readItems } from "./read-items.js";
import { readLines } from "./read-lines.js";
import { readPage } from "./read-page.js";
import { describeNextCall, readKindOf, type ReadOptions, type ReadRequest } from "./read-request.js";
import { readBlocks, type ResultBlock } from "./result-blocks.js";
import { isShort, jsonOf, selectValue } from "./select-value.js";
import type { Slices } from "./slices.js";
import { type DescribeNext, replaceText, type ShownText, viewResult, viewWithLast } from "./view-result.js";
import { writeJsonText } from "./write-json.js";

/** How many elements or lines the next call after a view reads. */
const NEXT_COUNT = 50;

/**
 * Reads a part of a result: selected values, matching lines, a range of lines or elements, a page, or the view of the
 * whole if the request names nothing. Throws a `DiscoveryError` if the request is wrong or the range does not exist.
 */
export function* readResult(result: CallResult, request: ReadRequest, options: ReadOptions): Slices<CallResult> {
  if (readKindOf(request) === undefined) {
    const { maxTokens } = options;
    return yield* viewResult(result, { maxTokens, describeNext: describeNextOf(options) });
  }
  return replaceText({ content: [] }, yield* read(result, request, options));
}

function* read(result: CallResult, request: ReadRequest, options: ReadOptions): Slices<ShownText> {
  const { select, path, page, items, grep } = request;
  if (page !== undefined && path === undefined) return yield* readPage(yield* readRawText(result), request, options);
  let blocks: readonly ResultBlock[] = yield* readBlocks(result);
  if (select !== undefined) return yield* readSelection(blocks, select, options);
  if (path !== undefined) {
    const selection = yield* selectValue(blocks, path);
    if (selection.kind === "nothing")
      throw invalidRequest(selection.description, "Correct `path`, or leave it out to read the whole result.");
    const { value } = selection;
    if (page !== undefined) {
      const text = typeof value === "string" ? value : ((yield* writeJsonText(value)) ?? "");
      return yield* readPage(text, request, options);
    }
    blocks = yield* toPartBlocks(value);
  }
  if (items !== undefined) return yield* readItems(jsonOf(blocks, "items"), request, options);
  return yield* (grep === undefined ? readLines : readGrep)(yield* indexBlocks(blocks), request, options);
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
  const { maxTokens } = options;
  const describeNext = describeNextOf(options);
  if (result.isError === true) return yield* viewResult(result, { maxTokens, describeNext });
  try {
    return replaceText(result, yield* readSelection(yield* readBlocks(result), expression, options));
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    const reason = cutToTokens(`[select was not applied. ${error.message}]`, Math.floor(maxTokens / 3));
    const left = maxTokens - estimateTokens(reason) - 1;
    const view = yield* viewResult(result, { maxTokens: left, describeNext });
    return { ...view, content: [{ type: "text", text: reason }, ...view.content] };
  }
}

function* readSelection(whole: readonly ResultBlock[], expression: string, options: ReadOptions): Slices<ShownText> {
  const { maxTokens } = options;
  const selection = yield* selectValue(whole, expression);
  if (selection.kind === "nothing") {
    const last = options.describeCall === undefined ? undefined : `[${describeNextCall(options, { page: 1 })}]`;
    return { text: cutToTokens(selection.description, maxTokens - estimateTokens(last ?? "") - 1), last };
  }
  const { value } = selection;
  const isText = typeof value === "string" && value.trim() !== "";
  const text = isText ? value : yield* writeJsonText(value, { maxCharacters: maxTokens * 40 });
  if (text !== undefined && isShort(text, maxTokens)) return { text };
  const blocks = yield* toPartBlocks(value);
  const next: ReadRequest = Array.isArray(value)
    ? { items: `0-${Math.min(NEXT_COUNT, value.length) - 1}`, path: expression }
    : { lines: `1-${NEXT_COUNT}`, path: expression };
  return yield* viewWithLast(blocks, maxTokens, (size) => describeSize(size, options, next));
}

function describeNextOf(options: ReadOptions): DescribeNext {
  return options.describeNext ?? ((size) => describeSize(size, options, { page: 1 }));
}

function describeSize(size: Parameters<DescribeNext>[0], options: ReadOptions, next: ReadRequest): string {
  const characters = size.characters.toLocaleString("en-US");
  const tokens = size.tokens.toLocaleString("en-US");
  return `[Shortened: ${characters} characters, about ${tokens} tokens. ${describeNextCall(options, next)}]`;
}
