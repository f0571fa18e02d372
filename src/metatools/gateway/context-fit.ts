import type { AdapterFacts } from "../../model/server.js";
import type { Operation } from "../../registry/operation.js";
import { isSameCountry, isSameCurrency } from "./countries-and-currencies.js";

/** Optional information that a caller passes with the query: the country, currency and use case of the task. */
export interface IntentContext {
  readonly country?: string | undefined;
  readonly currency?: string | undefined;
  readonly use_case?: "one-time" | "subscription" | "marketplace" | undefined;
}

export interface ContextFit {
  /**
   * The factor by which the operation's probability is multiplied: over 1 if the context fits, under 1 if it does not.
   */
  readonly factor: number;
  /** Explanations for the caller: which parts of the context fit or do not fit. */
  readonly reasons: readonly string[];
}

/**
 * Factors for the probability: a match doubles it. If the adapter lists countries or currencies without the requested
 * one, the probability is divided by ten.
 */
const FITS = 2;
const MISFITS = 1 / 10;

/**
 * Compares a context with an operation. An adapter that lists no countries or currencies is neither preferred nor
 * ranked lower.
 */
export function fitContext(context: IntentContext, operation: Operation, facts: AdapterFacts | undefined): ContextFit {
  const { adapter } = operation;
  const { countries = [], currencies = [] } = facts ?? {};
  const fits = [
    fitList(adapter, { requested: context.country, listed: countries, isSame: isSameCountry, noun: "country" }),
    fitList(adapter, { requested: context.currency, listed: currencies, isSame: isSameCurrency, noun: "currency" }),
    fitUseCase(context.use_case, operation, facts),
  ].filter((fit) => fit !== undefined);
  return {
    factor: fits.reduce((product, { factor }) => product * factor, 1),
    reasons: fits.map(({ reason }) => reason),
  };
}

interface Fit {
  readonly factor: number;
  readonly reason: string;
}

interface Listed {
  readonly requested: string | undefined;
  readonly listed: readonly string[];
  readonly isSame: (requested: string, listed: string) => boolean;
  readonly noun: string;
}

function fitList(adapter: string, { requested, listed, isSame, noun }: Listed): Fit | undefined {
  if (requested === undefined || listed.length === 0) return undefined;
  const found = listed.find((one) => isSame(requested, one));
  if (found !== undefined) return { factor: FITS, reason: `${adapter} lists the ${noun} ${found}` };
  return { factor: MISFITS, reason: `${adapter} does not list the ${noun} ${requested}` };
}

const USE_CASES: Readonly<Record<NonNullable<IntentContext["use_case"]>, RegExp>> = {
  "one-time": /\b(?:one[- ]?time|once|single)\b/i,
  subscription: /\b(?:subscriptions?|recurring)\b/i,
  marketplace: /\b(?:marketplaces?|splits?|sub-?accounts?)\b/i,
};

function fitUseCase(
  useCase: IntentContext["use_case"],
  { tool, category = "", tags }: Operation,
  facts: AdapterFacts | undefined,
): Fit | undefined {
  if (useCase === undefined) return undefined;
  const texts = [tool, category, ...tags, ...(facts?.capabilities ?? [])].map(toWords);
  const found = texts.find((text) => USE_CASES[useCase].test(text));
  return found === undefined ? undefined : { factor: FITS, reason: `"${found}" fits the use case ${useCase}` };
}

function toWords(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_.]+/g, " ");
}

export interface Chance {
  /** The probability, from the search alone, that this operation is the requested one. */
  readonly relevance: number;
  readonly factor: number;
}

/** The upper limit of a confidence, because a search result is never certain. */
const MAX_CONFIDENCE = 0.99;

/**
 * Adjusts the probabilities of the hits to the context. If the relevances add up to at most 1, the hits are treated as
 * mutually exclusive: what one hit loses is distributed among the other hits and the case that no hit is right. If they
 * add up to more, several hits can be right, and the context can only lower a probability: a matching country does not
 * make a tool do what was requested. Without a context, the results equal the relevances. The results are rounded to
 * the two decimals that the caller sees, so that later decisions use the same numbers.
 */
export function toConfidences(chances: readonly Chance[]): number[] {
  const before = sum(chances.map(({ relevance }) => relevance));
  const isExclusive = before <= 1;
  const after = sum(chances.map(({ relevance, factor }) => relevance * factor)) + 1 - before;
  return chances.map(({ relevance, factor }) => {
    const chance = isExclusive && after > 0 ? (relevance * factor) / after : relevance * Math.min(1, factor);
    return Math.round(Math.min(chance, MAX_CONFIDENCE) * 100) / 100;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
