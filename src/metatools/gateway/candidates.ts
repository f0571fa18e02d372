import type { PendingServer } from "../../catalog/starts.js";
import { assertNotQuarantined } from "../../catalog/quarantine.js";
import { DiscoveryError } from "../../errors.js";
import { BUILT_IN_SERVER } from "../../model/built-in.js";
import type { CallContext } from "../../model/call.js";
import type { Tool } from "../../model/tool.js";
import type { Operation } from "../../registry/operation.js";
import type { Fit } from "../../search/relevance.js";
import { interpretRequest } from "../../search/request/request.js";
import type { FoundTool, FoundTools } from "../found-tools.js";
import { type Chance, fitContext, type IntentContext, toConfidences } from "./context-fit.js";
import type { GatewayTable } from "./parts.js";
import { findCountry, findCurrency } from "./countries-and-currencies.js";
import { contradictsRequest } from "./stated-values.js";

export interface OperationCandidate {
  readonly tool: Tool;
  readonly operation: Operation;
  /** The probability, 0 to 1, that this operation is the requested one. */
  readonly confidence: number;
  /** How the context fits, for example `paystack lists the country NG.`; undefined if the context says nothing. */
  readonly why?: string;
}

export interface Candidates {
  /** The matching tools, most likely first. */
  readonly list: readonly OperationCandidate[];
  /** The context that the caller passed, completed with the country and currency that the query names. */
  readonly context: IntentContext;
  /** How well the list fits the query. If it is `none`, the list has only the closest tools. */
  readonly fit: Fit;
  readonly pending: readonly PendingServer[];
}

export interface Intent {
  readonly query: string;
  readonly adapter?: string | undefined;
  readonly context: IntentContext;
  /** The maximum number of alternatives to the recommended tool. */
  readonly limit: number;
  /** Whether the caller passed the limit. If not, unlikely alternatives are omitted. */
  readonly isLimited: boolean;
}

/** How many search hits are ranked if the caller passes a context: the context can move a lower hit up. */
const HITS_WITH_CONTEXT = 20;
const MIN_HITS = 8;

/**
 * Finds the tools for a query. A query that equals a tool's id or name selects that tool. Any other query is searched;
 * the confidence of a hit is its relevance, adjusted for the context.
 */
export async function findCandidates(intent: Intent, table: GatewayTable, call: CallContext): Promise<Candidates> {
  const { context, reducedQuery } = completeContext(intent, table);
  const exact = findExact(intent, table);
  if (exact.length > 0) return { list: rankMatches(exact, { context }, table), context, fit: "good", pending: [] };
  await assertUsable(intent, table);
  const isPlain = Object.values(context).every((value) => value === undefined);
  const enough = Math.max(1 + intent.limit, isPlain ? MIN_HITS : HITS_WITH_CONTEXT);
  // `minRelevance: 0`, because hits that are too unlikely to be recommended are still returned as options.
  const request = { server: intent.adapter, limit: enough, minRelevance: 0, context: call };
  const found = await table.discovery.search({ ...request, query: intent.query });
  // Also search without the country and currency: a tool's text may not mention the country although its adapter
  // supports it.
  const again =
    reducedQuery === undefined ? undefined : await table.discovery.search({ ...request, query: reducedQuery });
  const hits = withoutBuiltIn(mergeHits(allOf(found), again === undefined ? [] : allOf(again)));
  const { fit, pending } = found;
  return { list: rankMatches(hits, { context, query: intent.query }, table), context, fit, pending };
}

/** Throws if the query is the id of a tool that does not exist or cannot be called: a neighbor of it would mislead. */
async function assertUsable({ query }: Intent, { discovery, snapshot, nameOf }: GatewayTable): Promise<void> {
  const [, server, name] = /^([^\s:]+):(\S+)$/u.exec(query.trim()) ?? [];
  if (server === undefined || name === undefined || !snapshot().servers.has(server)) return;
  const tool = await discovery.tool(server, name);
  if (tool.enabled) return;
  assertNotQuarantined(tool);
  throw new DiscoveryError("TOOL_DISABLED", `${tool.id} is disabled by a rule of the configuration.`, {
    hint: `Call ${nameOf("intent")} with what you want to do, to find another tool.`,
  });
}

interface CompletedContext {
  readonly context: IntentContext;
  /** The query without the country and the currency that it names. */
  readonly reducedQuery?: string;
}

/** Adds to the context a country or currency that the query names, if an adapter lists it. */
function completeContext({ query, context }: Intent, { snapshot }: GatewayTable): CompletedContext {
  const facts = [...snapshot().servers.values()].flatMap(({ definition }) => definition.facts ?? []);
  const countries = facts.flatMap((one) => one.countries);
  const currencies = facts.flatMap((one) => one.currencies);
  const country = context.country === undefined ? findCountry(query, countries) : undefined;
  const currency = context.currency === undefined ? findCurrency(country?.rest ?? query, currencies) : undefined;
  const reducedQuery = currency?.rest ?? country?.rest;
  return {
    context: {
      ...context,
      ...(country === undefined ? {} : { country: country.code }),
      ...(currency === undefined ? {} : { currency: currency.code }),
    },
    ...(reducedQuery === undefined || reducedQuery === "" ? {} : { reducedQuery }),
  };
}

/** All found tools: an unlikely one can become an option. */
function allOf({ hits, also }: FoundTools): FoundTool[] {
  return [...hits, ...also];
}

/** Merges two lists of hits. If a tool is in both, the more relevant hit is kept. */
function mergeHits(hits: readonly FoundTool[], others: readonly FoundTool[]): FoundTool[] {
  const byId = new Map(hits.map((hit) => [hit.tool.id, hit]));
  for (const hit of others) {
    if (hit.relevance > (byId.get(hit.tool.id)?.relevance ?? 0)) byId.set(hit.tool.id, hit);
  }
  return [...byId.values()].sort((a, b) => b.relevance - a.relevance);
}

/** Removes the built-in tools, which are about the gateway itself, unless one of them is the best hit. */
function withoutBuiltIn(hits: readonly FoundTool[]): readonly FoundTool[] {
  const isBuiltInHit = ({ tool }: FoundTool): boolean => tool.server === BUILT_IN_SERVER;
  const [best] = hits;
  return best === undefined || isBuiltInHit(best) ? hits : hits.filter((hit) => !isBuiltInHit(hit));
}

interface MatchedTool {
  readonly tool: Tool;
  readonly relevance: number;
}

/** Finds the tools whose id or name equals the query. Several tools with the same name get equal probabilities. */
function findExact({ query, adapter }: Intent, { snapshot }: GatewayTable): MatchedTool[] {
  const { tools } = snapshot();
  const wanted = query.trim();
  const isOpen = (tool: Tool): boolean => tool.enabled && (adapter === undefined || tool.server === adapter);
  const byId = tools.get(wanted);
  const isId = byId !== undefined && isOpen(byId);
  const found = isId ? [byId] : [...tools.values()].filter((tool) => tool.name === wanted && isOpen(tool));
  return found.sort((a, b) => (a.id < b.id ? -1 : 1)).map((tool) => ({ tool, relevance: 1 / found.length }));
}

/** The factor for the probability of an operation that changes something although the query asks to read, or the reverse. */
const CONTRADICTS = 0.5;

function rankMatches(
  matches: readonly MatchedTool[],
  { context, query }: { readonly context: IntentContext; readonly query?: string },
  table: GatewayTable,
): OperationCandidate[] {
  const { servers } = table.snapshot();
  const request = query === undefined ? undefined : interpretRequest(query);
  const ranked = matches.map((match) => {
    const server = servers.get(match.tool.server);
    const operation = table.operations.of(match.tool, server);
    const fit = fitContext(context, operation, server?.definition.facts);
    const isOther = request !== undefined && contradictsRequest(request, match.tool);
    return { ...match, operation, ...fit, factor: fit.factor * (isOther ? CONTRADICTS : 1) };
  });
  const [only] = ranked;
  const isCertain = only?.relevance === 1 && ranked.length === 1;
  const confidences = isCertain ? [1] : toConfidences(ranked satisfies readonly Chance[]);
  let ceiling = 1;
  return (
    ranked
      .map((one, index) => ({ ...one, confidence: confidences[index] ?? 0 }))
      // The sort is stable: hits with equal products keep their order in the search result.
      .sort((a, b) => b.relevance * b.factor - a.relevance * a.factor)
      .map(({ tool, operation, confidence, reasons }) => {
        ceiling = Math.min(ceiling, confidence);
        const why = reasons.length === 0 ? {} : { why: `${reasons.join("; ")}.` };
        return { tool, operation, confidence: ceiling, ...why };
      })
  );
}
