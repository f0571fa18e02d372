import type { AdapterFacts } from "../../model/server.js";
import type { Operation } from "../../registry/operation.js";
import { isSameCountry, isSameCurrency } from "./places.js";

/** What a caller says beside the query. */
export interface IntentContext {
  readonly country?: string | undefined;
  readonly currency?: string | undefined;
  readonly use_case?: "one-time" | "subscription" | "marketplace" | undefined;
}

export interface ContextFit {
  /** By how much it makes the operation more or less likely than the others. */
  readonly factor: number;
  /** What of the context the operation or its adapter has, or lists and has not. */
  readonly reasons: readonly string[];
}

/** A fact that fits makes twice as likely; a list of countries or currencies without the one asked for a tenth as likely. */
const FITS = 2;
const MISFITS = 1 / 10;

/** An adapter that lists nothing neither fits nor misfits. */
export function fitContext(context: IntentContext, operation: Operation, facts: AdapterFacts | undefined): ContextFit {
  const { adapter } = operation;
  const { countries = [], currencies = [] } = facts ?? {};
  const fits = [
    fitList(adapter, { given: context.country, listed: countries, isSame: isSameCountry, noun: "country" }),
    fitList(adapter, { given: context.currency, listed: currencies, isSame: isSameCurrency, noun: "currency" }),
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
  readonly given: string | undefined;
  readonly listed: readonly string[];
  readonly isSame: (asked: string, listed: string) => boolean;
  readonly noun: string;
}

function fitList(adapter: string, { given, listed, isSame, noun }: Listed): Fit | undefined {
  if (given === undefined || listed.length === 0) return undefined;
  const found = listed.find((one) => isSame(given, one));
  if (found !== undefined) return { factor: FITS, reason: `${adapter} lists the ${noun} ${found}` };
  return { factor: MISFITS, reason: `${adapter} does not list the ${noun} ${given}` };
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
  const said = [tool, category, ...tags, ...(facts?.capabilities ?? [])].map(toWords);
  const found = said.find((text) => USE_CASES[useCase].test(text));
  return found === undefined ? undefined : { factor: FITS, reason: `"${found}" fits the use case ${useCase}` };
}

function toWords(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_.]+/g, " ");
}

export interface Chance {
  /** That this one is right, by the words alone. */
  readonly relevance: number;
  readonly factor: number;
}

/** No reading of words is certain. */
const MOST_CONFIDENCE = 0.99;

/**
 * The chances after the context. Where only one can be right, what the context takes from some goes to the others and to
 * none being right. Where their sum shows that several can, it takes and gives nothing: a country does not make a tool
 * do what was asked. Without context they are the relevances themselves. Rounded as they are shown, so that nothing is
 * decided by other numbers.
 */
export function toConfidences(chances: readonly Chance[]): number[] {
  const before = sum(chances.map(({ relevance }) => relevance));
  const isEither = before <= 1;
  const after = sum(chances.map(({ relevance, factor }) => relevance * factor)) + 1 - before;
  return chances.map(({ relevance, factor }) => {
    const chance = isEither && after > 0 ? (relevance * factor) / after : relevance * Math.min(1, factor);
    return Math.round(Math.min(chance, MOST_CONFIDENCE) * 100) / 100;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
