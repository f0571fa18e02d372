import type { PendingServer } from "../../catalog/starts.js";
import type { Tool } from "../../model/tool.js";
import type { Operation } from "../../registry/operation.js";
import type { FoundTool } from "../found-tools.js";
import { type Chance, fitContext, type IntentContext, toConfidences } from "./context-fit.js";
import type { GatewayTable } from "./parts.js";
import { findCountry, findCurrency } from "./places.js";
import { toReason } from "./reason.js";

export interface Candidate {
  readonly tool: Tool;
  readonly operation: Operation;
  /** The chance that this is what was asked for. */
  readonly confidence: number;
  readonly why: string;
}

export interface Candidates {
  /** The most likely first. */
  readonly list: readonly Candidate[];
  /** What was said beside the query, and what of it the query names itself. */
  readonly context: IntentContext;
  readonly suggestions: readonly string[];
  readonly pending: readonly PendingServer[];
}

export interface Intent {
  readonly query: string;
  readonly adapter?: string | undefined;
  readonly context: IntentContext;
  /** The most alternatives to the first. */
  readonly limit: number;
}

/** Facts of the context may bring up what the words alone put further down. */
const LOOKED_AT = 20;
const FEWEST = 3;

/** An id or a name wins by itself; all else is found by search, and its relevance is the confidence but for the context. */
export async function findCandidates(intent: Intent, table: GatewayTable): Promise<Candidates> {
  const { context, plainer } = readPlaces(intent, table);
  const exact = findExact(intent, table);
  if (exact.length > 0) return { list: weigh(exact, context, table), context, suggestions: [], pending: [] };
  const isPlain = Object.values(context).every((value) => value === undefined);
  const enough = Math.max(1 + intent.limit, isPlain ? FEWEST : LOOKED_AT);
  // What is not likely enough to be recommended is still there to choose from.
  const request = { server: intent.adapter, limit: enough, minRelevance: 0, explain: true };
  const found = await table.discovery.search({ ...request, query: intent.query });
  // A tool need not speak of the place that its adapter lists: it is looked for without it as well.
  const again = plainer === undefined ? undefined : await table.discovery.search({ ...request, query: plainer });
  const hits = mergeHits(found.hits, again?.hits ?? []);
  return { ...found, list: weigh(hits.map(toSuspect), context, table), context };
}

interface Readings {
  readonly context: IntentContext;
  /** The query without the places that it names. */
  readonly plainer?: string;
}

/** A country or currency that the query names and an adapter lists counts like one of the context. */
function readPlaces({ query, context }: Intent, { snapshot }: GatewayTable): Readings {
  const facts = [...snapshot().servers.values()].flatMap(({ definition }) => definition.facts ?? []);
  const countries = facts.flatMap((one) => one.countries);
  const currencies = facts.flatMap((one) => one.currencies);
  const country = context.country === undefined ? findCountry(query, countries) : undefined;
  const currency = context.currency === undefined ? findCurrency(country?.rest ?? query, currencies) : undefined;
  const plainer = currency?.rest ?? country?.rest;
  return {
    context: {
      ...context,
      ...(country === undefined ? {} : { country: country.code }),
      ...(currency === undefined ? {} : { currency: currency.code }),
    },
    ...(plainer === undefined || plainer === "" ? {} : { plainer }),
  };
}

/** Of two readings the one counts that speaks more for the tool. */
function mergeHits(hits: readonly FoundTool[], others: readonly FoundTool[]): FoundTool[] {
  const byId = new Map(hits.map((hit) => [hit.tool.id, hit]));
  for (const hit of others) {
    if (hit.relevance > (byId.get(hit.tool.id)?.relevance ?? 0)) byId.set(hit.tool.id, hit);
  }
  return [...byId.values()].sort((a, b) => b.relevance - a.relevance);
}

interface Suspect {
  readonly tool: Tool;
  readonly relevance: number;
  readonly explain: (facts: readonly string[]) => string;
}

function toSuspect({ tool, relevance, why = [] }: FoundTool): Suspect {
  return { tool, relevance, explain: (facts) => toReason(why, facts) };
}

/** The tools whose id or name the query is; of several with one name each is as likely. */
function findExact({ query, adapter }: Intent, { snapshot }: GatewayTable): Suspect[] {
  const { tools } = snapshot();
  const asked = query.trim();
  const isOpen = (tool: Tool): boolean => tool.enabled && (adapter === undefined || tool.server === adapter);
  const byId = tools.get(asked);
  const isId = byId !== undefined && isOpen(byId);
  const found = isId ? [byId] : [...tools.values()].filter((tool) => tool.name === asked && isOpen(tool));
  const explain = (facts: readonly string[]): string =>
    `${[`The query is this tool's ${isId ? "id" : "name"}`, ...facts].join("; ")}.`;
  return found.sort((a, b) => (a.id < b.id ? -1 : 1)).map((tool) => ({ tool, relevance: 1 / found.length, explain }));
}

function weigh(suspects: readonly Suspect[], context: IntentContext, table: GatewayTable): Candidate[] {
  const { servers } = table.snapshot();
  const weighed = suspects.map((suspect) => {
    const server = servers.get(suspect.tool.server);
    const operation = table.operations.of(suspect.tool, server);
    return { ...suspect, operation, ...fitContext(context, operation, server?.definition.facts) };
  });
  const [only] = weighed;
  const isCertain = only?.relevance === 1 && weighed.length === 1;
  const confidences = isCertain ? [1] : toConfidences(weighed satisfies readonly Chance[]);
  return (
    weighed
      .map((one, index) => ({ ...one, confidence: confidences[index] ?? 0 }))
      // Sorting is stable: what the context does not tell apart keeps the order of the search.
      .sort((a, b) => b.relevance * b.factor - a.relevance * a.factor)
      .map(({ tool, operation, confidence, explain, reasons }) => ({
        tool,
        operation,
        confidence,
        why: explain(reasons),
      }))
  );
}
