import { invalidRequest } from "../util/invalid-request.js";
import { estimateTokens } from "./estimate-tokens.js";
import type { DescribeNext } from "./view-result.js";

/** Which part of a result to read: at most one of `select`, `grep`, `lines`, `items` and `page`. */
export interface ReadRequest {
  /** A JMESPath expression over the JSON of the result. */
  readonly select?: string;
  /** A regular expression (RE2 syntax). Returns the matching lines. */
  readonly grep?: string;
  /** With `grep`: how many lines before and after each matching line. Default: 2, at most 20. */
  readonly context?: number;
  /** With `grep`: whether upper and lower case are the same. */
  readonly ignore_case?: boolean;
  /** Lines of the text, counted from 1: `"120-180"`, `"120"`, `"120-"` or `"-50"` (the last 50). */
  readonly lines?: string;
  /** Elements of the array, counted from 0, in the same forms as `lines`. */
  readonly items?: string;
  /** A page of the unchanged text, counted from 1. All pages together are the whole text. */
  readonly page?: number;
  /** A JMESPath expression. `grep`, `lines`, `items` and `page` then read the value that it selects. */
  readonly path?: string;
}

export interface ReadOptions {
  /** The estimated tokens that the answer has at most. */
  readonly maxTokens: number;
  readonly describeNext?: DescribeNext;
  /** Returns the call that makes a request, for the end of a reading. Default: the request as JSON. */
  readonly describeCall?: (request: ReadRequest) => string;
}

export type ReadKind = "select" | "grep" | "lines" | "items" | "page";

const KINDS: readonly ReadKind[] = ["select", "grep", "lines", "items", "page"];
const MAX_CONTEXT = 20;

/** Returns the one kind of reading that a request asks for; undefined if it names none. */
export function readKindOf(request: ReadRequest): ReadKind | undefined {
  const given = KINDS.filter((kind) => request[kind] !== undefined);
  if (given.length > 1)
    throw invalidRequest(
      `The request has ${given.map((kind) => `\`${kind}\``).join(" and ")}, but a reading has only one of them.`,
      "Make one call for each. `path` selects a part of the result for `grep`, `lines`, `items` and `page`.",
    );
  const [kind] = given;
  const { context, page } = request;
  if (context !== undefined && !isInteger(context, 0, MAX_CONTEXT))
    throw invalidRequest(`\`context\` is ${context}.`, `Set \`context\` to a whole number from 0 to ${MAX_CONTEXT}.`);
  if (page !== undefined && !isInteger(page, 1, Number.MAX_SAFE_INTEGER))
    throw invalidRequest(`\`page\` is ${page}.`, "Set `page` to a whole number from 1.");
  for (const name of ["select", "grep", "lines", "items", "path"] as const) {
    const value: unknown = request[name];
    if (value === undefined || (typeof value === "string" && value.trim() !== "")) continue;
    throw invalidRequest(`\`${name}\` is ${JSON.stringify(value)}.`, `Set \`${name}\` to a text that is not empty.`);
  }
  if (request.path !== undefined && (kind === undefined || kind === "select"))
    throw invalidRequest(
      "`path` is used without `grep`, `lines`, `items` or `page`.",
      "Use `select` alone to see a part of the result.",
    );
  return kind;
}

function isInteger(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}

/** `Next: …` with the call that continues a reading. A very long path is not repeated. */
export function describeNextCall({ describeCall, maxTokens }: ReadOptions, request: ReadRequest): string {
  const call = describeCall === undefined ? JSON.stringify(request) : describeCall(request);
  const { path, ...rest } = request;
  if (path === undefined || estimateTokens(call) <= maxTokens / 3) return `Next: ${call}`;
  return `Next: ${JSON.stringify(rest)} with the same expression as path`;
}
