import type { PendingServer } from "../../catalog/starts.js";
import type { Tool } from "../../model/tool.js";
import type { Operation } from "../../registry/operation.js";
import type { FoundTool } from "../found-tools.js";
import { type Chance, fitContext, type IntentContext, toConfidences } from "./context-fit.js";
import type { GatewayTable } from "./parts.js";
import { findCountry, findCurrency } from "./countries-and-currencies.js";
import { toMatchReason } from "./reason.js";

export interface OperationCandidate {
  readonly tool: Tool;
  readonly operation: Operation;
  /** The probability, 0 to 1, that this operation is the requested one. */
  readonly confidence: number;
  readonly why: string;
}

export interface Candidates {
  /** Most likely first. */
  readonly list: readonly OperationCandidate[];
  /** The context that the caller passed, completed with the country and currency that the query names. */
  readonly context: IntentContext;
  /** The closest tools when no tool matches. */
  readonly closest: readonly Tool[];
  readonly pending: readonly PendingServer[];
}

export interface Intent {
  readonly query: string;
  readonly adapter?: string | undefined;
  readonly context: IntentContext;
  /** The maximum number of alternatives to the recommended tool. */
  readonly limit: number;
}

/** With a context, more hits are ranked, because the context can move a hit up. */
const HITS_WITH_CONTEXT = 20;
const MIN_HITS = 3;

/**
 * A query that equals a tool's id or name selects that tool. Any other query is searched; the relevance of a hit, adjusted
 * for the context, is its confidence.
 */
export async function findCandidates(intent: Intent, table: GatewayTable): Promise<Candidates> {
  const { context, reducedQuery } = completeContext(intent, table);
  const exact = findExact(intent, table);
  if (exact.length > 0) return { list: rankMatches(exact, context, table), context, closest: [], pending: [] };
  const isPlain = Object.values(context).every((value) => value === undefined);
  const enough = Math.max(1 + intent.limit, isPlain ? MIN_HITS : HITS_WITH_CONTEXT);
  // Hits that are too unlikely to be recommended are still returned as options.
  const request = { server: intent.adapter, limit: enough, minRelevance: 0, explain: true };
  const found = await table.discovery.search({ ...request, query: intent.query });
  // A tool may not mention a country that its adapter lists, so also search without the country.
  const again =
    reducedQuery === undefined ? undefined : await table.discovery.search({ ...request, query: reducedQuery });
  const hits = mergeHits(found.hits, again?.hits ?? []);
  return { ...found, list: rankMatches(hits.map(toMatch), context, table), context };
}

interface CompletedContext {
  readonly context: IntentContext;
  /** The query without the country and the currency that it names. */
  readonly reducedQuery?: string;
}

/** Treats a country or currency that the query names and an adapter lists as if it were passed in the context. */
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

/** Keeps the more relevant hit of each tool. */
function mergeHits(hits: readonly FoundTool[], others: readonly FoundTool[]): FoundTool[] {
  const byId = new Map(hits.map((hit) => [hit.tool.id, hit]));
  for (const hit of others) {
    if (hit.relevance > (byId.get(hit.tool.id)?.relevance ?? 0)) byId.set(hit.tool.id, hit);
  }
  return [...byId.values()].sort((a, b) => b.relevance - a.relevance);
}

interface MatchedTool {
  readonly tool: Tool;
  readonly relevance: number;
  readonly explain: (facts: readonly string[]) => string;
}

function toMatch({ tool, relevance, why = [] }: FoundTool): MatchedTool {
  return { tool, relevance, explain: (facts) => toMatchReason(why, facts) };
}

/** The tools whose id or name equals the query. Several tools with the same name are equally likely. */
function findExact({ query, adapter }: Intent, { snapshot }: GatewayTable): MatchedTool[] {
  const { tools } = snapshot();
  const wanted = query.trim();
  const isOpen = (tool: Tool): boolean => tool.enabled && (adapter === undefined || tool.server === adapter);
  const byId = tools.get(wanted);
  const isId = byId !== undefined && isOpen(byId);
  const found = isId ? [byId] : [...tools.values()].filter((tool) => tool.name === wanted && isOpen(tool));
  const explain = (facts: readonly string[]): string =>
    `${[`The query is this tool's ${isId ? "id" : "name"}`, ...facts].join("; ")}.`;
  return found.sort((a, b) => (a.id < b.id ? -1 : 1)).map((tool) => ({ tool, relevance: 1 / found.length, explain }));
}

function rankMatches(
  matches: readonly MatchedTool[],
  context: IntentContext,
  table: GatewayTable,
): OperationCandidate[] {
  const { servers } = table.snapshot();
  const ranked = matches.map((match) => {
    const server = servers.get(match.tool.server);
    const operation = table.operations.of(match.tool, server);
    return { ...match, operation, ...fitContext(context, operation, server?.definition.facts) };
  });
  const [only] = ranked;
  const isCertain = only?.relevance === 1 && ranked.length === 1;
  const confidences = isCertain ? [1] : toConfidences(ranked satisfies readonly Chance[]);
  return (
    ranked
      .map((one, index) => ({ ...one, confidence: confidences[index] ?? 0 }))
      // The sort is stable: hits with equal values keep the order of the search.
      .sort((a, b) => b.relevance * b.factor - a.relevance * a.factor)
      .map(({ tool, operation, confidence, explain, reasons }) => ({
        tool,
        operation,
        confidence,
        why: explain(reasons),
      }))
  );
}
