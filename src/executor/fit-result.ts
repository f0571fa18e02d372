// Fits the result of a call to its caller: the whole result, the part that the caller selects or, if the result exceeds
// the budget, a view of it. The full result of a view is stored, so that the caller can read the rest.
import { READ_RESULT } from "../model/built-in.js";
import type { Call, CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { nextReading } from "../results/next-reading.js";
import { checkSelection, readResult, selectResult } from "../results/read-result.js";
import type { ReadOptions, ReadRequest } from "../results/read-request.js";
import type { ResultBlock } from "../results/result-blocks.js";
import { isWithinTokens } from "../results/result-tokens.js";
import { runSlices } from "../results/slices.js";
import { type DescribeNext, type ResultSize, viewResult } from "../results/view-result.js";
import { failpoint } from "../util/failpoint.js";
import { invalidRequest } from "../util/invalid-request.js";
import { type BytesLimit, limitResult, resultUri } from "./limit-result.js";
import { type ResultOptions, resultTokens } from "./options.js";
import type { StoredResult } from "./stored-results.js";

export interface ResultLimit extends BytesLimit {
  /** The budget for the results of a tool in tokens; 0 for none. */
  readonly tokensFor: (tool: Tool) => number;
  /** Whether a call of `anygpt:read_result` reaches the gateway. A server can have a tool with the same id. */
  readonly canRead: () => boolean;
}

/** Returns the budget for the results of a tool: its own, that of its server, or the general one. */
export function createResultBudget({ maxTokens, servers, tools }: ResultOptions): ResultLimit["tokensFor"] {
  const [byServer, byTool] = [new Map(Object.entries(servers)), new Map(Object.entries(tools))];
  return ({ id, server }) => byTool.get(id) ?? byServer.get(server) ?? maxTokens;
}

/** Checks `select` and `maxTokens` of a call before it runs, because a call that ran cannot be undone. */
export function checkResultChoices({ select, maxTokens }: Call): void {
  if (select !== undefined) checkSelection(select);
  const [issue] = resultTokens.optional().safeParse(maxTokens).error?.issues ?? [];
  if (issue !== undefined) {
    throw invalidRequest(
      `The budget for the result is ${maxTokens} tokens.`,
      `Pass a number that is ${issue.message.replace("expected ", "")}.`,
    );
  }
}

/** The member of `_meta` with the id and the size of a stored result, for programs. */
export const RESULT_MEMBER = "anygpt/result";

/** No view has more tokens than the limit of bytes allows, at this many bytes for each token. */
const BYTES_PER_TOKEN = 4;

/** Returns a result that needs no change as the same object, without a promise. */
export function fitResult(
  result: CallResult,
  limit: ResultLimit,
  call: Call,
  tool: Tool,
): CallResult | Promise<CallResult> {
  if (tool === READ_RESULT || call.dryRun === true) return result;
  const isWhole = call.context.whole === true;
  const budget = budgetOf(call, limit.tokensFor(tool));
  const maxTokens = isWhole ? budget : Math.min(budget, Math.floor(limit.bytes / BYTES_PER_TOKEN));
  if (call.select !== undefined) return select(result, call.select, { limit, call, tool, maxTokens });
  if (budget > 0 && !isWithinTokens(result, maxTokens)) return view(result, { limit, call, tool, maxTokens });
  return isWhole ? result : limitResult(result, limit, { actorId: call.context.actor.id, tool });
}

/** The budget of a reading if neither the call nor the configuration has one. */
const READING_TOKENS = 6000;
/** The budget of a caller that wants whole results. */
const WHOLE_TOKENS = 100_000_000;

/** Runs `anygpt:read_result`. The arguments match its schema. */
export async function readStoredResult(args: JsonObject, limit: ResultLimit, call: Call): Promise<CallResult> {
  const { result, ...request } = args;
  const id = String(result);
  const stored = await limit.storedResults.read(id, call.context.actor.id);
  const fallback = call.context.whole === true ? WHOLE_TOKENS : READING_TOKENS;
  const maxTokens = budgetOf(call, limit.tokensFor(READ_RESULT)) || fallback;
  const describeNext: DescribeNext = (size, blocks) => describeView(size, blocks, { id, call });
  const options: ReadOptions = { maxTokens, describeCall: (next) => describeReading(call, id, next), describeNext };
  return await runSlices(readResult(stored, request as ReadRequest, options));
}

function budgetOf({ maxTokens, context }: Call, configured: number): number {
  return maxTokens ?? (context.whole === true ? 0 : configured);
}

interface FitParts {
  readonly limit: ResultLimit;
  readonly call: Call;
  readonly tool: Tool;
  readonly maxTokens: number;
}

async function view(result: CallResult, parts: FitParts): Promise<CallResult> {
  const stored = await store(result, parts);
  const { maxTokens } = parts;
  const describeNext = describeNextOf(stored, parts);
  return withStored(await runSlices(viewResult(result, { maxTokens, describeNext })), stored);
}

async function select(result: CallResult, expression: string, parts: FitParts): Promise<CallResult> {
  // The result of a failed call is not selected from.
  if (result.isError === true && (parts.maxTokens === 0 || isWithinTokens(result, parts.maxTokens))) return result;
  const { call, limit } = parts;
  const stored = await store(result, parts);
  const options: ReadOptions = {
    maxTokens: parts.maxTokens > 0 ? parts.maxTokens : WHOLE_TOKENS,
    describeNext: describeNextOf(stored, parts),
    ...(stored !== undefined && limit.canRead()
      ? { describeCall: (next: ReadRequest) => describeReading(call, stored.id, next) }
      : {}),
  };
  return withStored(await runSlices(selectResult(result, expression, options)), stored);
}

async function store(result: CallResult, { limit, call, tool }: FitParts): Promise<StoredResult | undefined> {
  const source = { server: tool.server, tool: tool.name };
  const stored = await limit.storedResults.store(result, call.context.actor.id, source);
  failpoint("result.after_store");
  return stored;
}

function describeNextOf(stored: StoredResult | undefined, { call, limit }: FitParts): DescribeNext {
  if (stored === undefined) return (size) => `[Shortened: ${describeSize(size)}. ${NOT_STORED}]`;
  const { id, pages } = stored;
  if (limit.canRead()) return (size, blocks) => describeView(size, blocks, { id, call });
  return (size) =>
    `[Shortened: ${describeSize(size)}. Read the resources ${resultUri(id, 1)} to ${resultUri(id, pages)}.]`;
}

const NOT_STORED = "The full result was not stored, because it exceeds the quotas in `results`.";

function describeView(
  size: ResultSize,
  blocks: readonly ResultBlock[],
  { id, call }: { readonly id: string; readonly call: Call },
): string {
  const next = describeReading(call, id, nextReading(blocks));
  return `[Shortened: ${describeSize(size)}. Next: ${next}; or one of select (JMESPath), grep (regex), lines, items, page.]`;
}

function describeSize({ characters, tokens }: ResultSize): string {
  return `${characters.toLocaleString("en-US")} characters, about ${tokens.toLocaleString("en-US")} tokens`;
}

function describeReading({ describeReading: describe }: Call, id: string, request: ReadRequest): string {
  const args = { result: id, ...request };
  return describe === undefined ? `${READ_RESULT.id} ${JSON.stringify(args)}` : describe(args);
}

function withStored(result: CallResult, stored: StoredResult | undefined): CallResult {
  if (stored === undefined) return result;
  const meta = result["_meta"];
  const { id, bytes } = stored;
  return { ...result, _meta: { ...(isJsonObject(meta) ? meta : {}), [RESULT_MEMBER]: { id, bytes } } };
}
