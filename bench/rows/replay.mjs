import { decode, encode } from "gpt-tokenizer/encoding/o200k_base";
import { readRecordedResults, textOf } from "../support/recorded-runs.mjs";
import { groupsOf, mean, quantile, spreadOf, sum } from "../support/statistics.mjs";
import { tokensOf } from "../support/tokens.mjs";

const LARGE_TOKENS = 1000;
const BUDGETS = [750, 1000, 1250, 1500, 1750, 2000, 3000, 6000];
/** The budget of the goal, and the goal: the share of the used values in the view, in the mean of all results. */
const GOAL_BUDGET = 1500;
const GOAL = 85;
const RESAMPLES = 2000;
/** The last line of a view has words that a run can use too. */
const NEXT_LINE = /\n\[Shortened: [^\n]*$/;

/**
 * What an agent reads of large results: how many tokens, and how many of the values that it uses later. Recall is the
 * mean over results: each result counts once, however many values of it are used.
 */
export const replay = {
  name: "replay",
  about: "views of large results in recorded agent runs: tokens, and recall of the values that the run uses later",
  seconds: { usual: 20, quick: 20 },
  async run({ dataFolder, internals }) {
    const results = readRecordedResults(dataFolder, LARGE_TOKENS);
    if (results === undefined) {
      console.error("  skipped: ANYGPT_DATA names no folder with replay/runs.jsonl");
      return [];
    }
    const raw = mean(results.map(({ tokens }) => tokens));
    const curve = BUDGETS.map((budget) => ({
      budget,
      view: measure(results, ({ result }) => viewOf(internals, result, budget)),
      other: measure(results, ({ text }) => headAndTail(text, budget)),
    }));
    return [
      {
        what: `results over ${LARGE_TOKENS.toLocaleString("en-US")} tokens: size`,
        value: raw,
        unit: "tokens",
        spread: spreadOf(results.map(({ tokens }) => tokens)),
        note: `${results.length} results, ${sum(results.map(({ used }) => used.length))} used values, ${sum(results.map(({ specifics }) => specifics.length))} links, identifiers and numbers`,
      },
      ...curve.map(toCurveLine),
      ...toGoalLines(
        curve.find(({ budget }) => budget === GOAL_BUDGET),
        raw,
      ),
      ...reachableLines(results, internals),
    ];
  },
};

function measure(results, view) {
  const seen = results.map((one) => {
    const shown = view(one);
    const content = shown.replace(NEXT_LINE, "").toLowerCase();
    const has = (value) => content.includes(value);
    const { run, server, used, specifics } = one;
    const [found, foundSpecifics] = [used.filter(has).length, specifics.filter(has).length];
    return {
      run,
      server,
      raw: one.tokens,
      tokens: tokensOf(shown),
      used: used.length,
      found,
      specifics: specifics.length,
      foundSpecifics,
    };
  });
  const specific = seen.filter(({ specifics }) => specifics > 0);
  return {
    seen: seen.filter(({ used }) => used > 0),
    tokens: mean(seen.map(({ tokens }) => tokens)),
    together: share(sum(seen.map(({ found }) => found)), sum(seen.map(({ used }) => used))),
    specific: mean(specific.map((one) => share(one.foundSpecifics, one.specifics))),
  };
}

const share = (part, whole) => (100 * part) / whole;
const recallOf = (seen) => mean(seen.map(({ found, used }) => share(found, used)));

function toCurveLine({ budget, view, other }) {
  const [ours, cut] = [recallOf(view.seen), recallOf(other.seen)];
  const describe = ({ tokens, together, specific }) =>
    `${tokens.toFixed(0)} tokens, all values together ${together.toFixed(1)} %, links, identifiers and numbers ${specific.toFixed(1)} %`;
  return {
    what: `view of ${budget.toLocaleString("en-US")} tokens: used values in it`,
    value: ours,
    unit: "%",
    baseline: { name: "head and tail of the same tokens", value: cut },
    ratio: ours / cut,
    ...(budget === GOAL_BUDGET ? { budget: { least: GOAL } } : {}),
    note: `${describe(view)}; head and tail: ${describe(other)}`,
  };
}

function toGoalLines({ budget, view, other }, raw) {
  const name = `view of ${budget.toLocaleString("en-US")} tokens`;
  const byServer = groupsOf(view.seen, ({ server }) => server).map(recallOf);
  const { low, high } = resample(view.seen);
  return [
    {
      what: `${name}: its tokens`,
      value: view.tokens,
      unit: "tokens",
      baseline: { name: "raw", value: raw },
      ratio: view.tokens / raw,
      budget: { most: GOAL_BUDGET },
    },
    {
      what: `${name}: used values, 95 % interval over runs`,
      value: recallOf(view.seen),
      unit: "%",
      spread: { low, high },
      baseline: { name: "head and tail", value: recallOf(other.seen) },
      note: "the spread is a bootstrap interval: how much the figure differs between samples of runs",
    },
    {
      what: `${name}: used values, each server once`,
      value: mean(byServer),
      unit: "%",
      note: `${byServer.length} servers, the lowest ${Math.min(...byServer).toFixed(0)} %`,
    },
    {
      what: `${name}: used values in results over ${(2 * budget).toLocaleString("en-US")} tokens`,
      value: recallOf(view.seen.filter((one) => one.raw > 2 * budget)),
      unit: "%",
    },
  ];
}

/** The recall of random samples of the runs, with the same random numbers in every measurement. */
function resample(seen) {
  const runs = groupsOf(seen, ({ run }) => run);
  let state = 1;
  const pick = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return runs[Math.floor((state / 2_147_483_648) * runs.length)];
  };
  const recalls = Array.from({ length: RESAMPLES }, () => recallOf(runs.flatMap(pick)));
  return { low: quantile(recalls, 0.025), high: quantile(recalls, 0.975) };
}

/** The share of the used values that one more call shows: a search for the value, and the call that the view names. */
function reachableLines(results, internals) {
  const [byGrep, byNext, missed] = [[], [], []];
  for (const { result, used } of results.filter((one) => one.used.length > 0)) {
    const view = viewOf(internals, result, GOAL_BUDGET).toLowerCase();
    const next = `${view}\n${readNext(internals, result)}`.toLowerCase();
    const lost = used.filter((value) => !view.includes(value) && !findsByGrep(internals, result, value));
    missed.push(...lost);
    byGrep.push(share(used.length - lost.length, used.length));
    byNext.push(share(used.filter((value) => next.includes(value)).length, used.length));
  }
  const name = `view of ${GOAL_BUDGET.toLocaleString("en-US")} tokens and one more call`;
  return [
    {
      what: `${name}: grep for the value`,
      value: mean(byGrep),
      unit: "%",
      budget: { least: 100 },
      ...(missed.length === 0 ? {} : { note: `not found: ${missed.slice(0, 8).join(", ")}` }),
    },
    { what: `${name}: the call that it names`, value: mean(byNext), unit: "%" },
  ];
}

function findsByGrep({ readResult, runAtOnce }, result, value) {
  const grep = value.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const request = { grep, ignore_case: true };
  const answer = textOf(runAtOnce(readResult(result, request, { maxTokens: GOAL_BUDGET })));
  // An answer without a match repeats the pattern.
  return /^[\d,]+ matching lines? in /.test(answer) && answer.toLowerCase().includes(value);
}

function readNext({ nextReading, readBlocks, readResult, runAtOnce }, result) {
  const request = nextReading(runAtOnce(readBlocks(result)));
  return textOf(runAtOnce(readResult(result, request, { maxTokens: GOAL_BUDGET })));
}

/** The last line is written as the gateway writes it. */
function viewOf({ nextReading, viewResult, runAtOnce }, result, maxTokens) {
  const describeNext = ({ characters, tokens }, blocks) => {
    const args = { result: "djkqKmW7XOvM", ...nextReading(blocks) };
    const call = JSON.stringify({ server: "anygpt", tool: "read_result", arguments: args });
    return `[Shortened: ${characters} characters, about ${tokens} tokens. Next: execute_tool ${call}; or one of select (JMESPath), grep (regex), lines, items, page.]`;
  };
  return textOf(runAtOnce(viewResult(result, { maxTokens, describeNext })));
}

function headAndTail(text, budget) {
  const tokens = encode(text, { disallowedSpecial: new Set() });
  if (tokens.length <= budget) return text;
  const head = Math.floor(budget * 0.7);
  return `${decode(tokens.slice(0, head))}\n…\n${decode(tokens.slice(head - budget + 1))}`;
}
