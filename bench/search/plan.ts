import { join } from "node:path";
import { parseArgs } from "node:util";
import { DiscoveryError } from "../../src/errors.js";
import type { Half } from "./half.js";
import { BASELINES, WORDS } from "./rankers.js";

export const HELP = `Usage: npm run bench:search -- [options] [paths...]

Compares search with other rankers on all labelled sets of a folder, with 95 % intervals (paired bootstrap).

  --data FOLDER      sets NAME.tools.json, NAME.queries.json and NAME.unanswerable.json in the folder or in its folder
                     search; default: the variable ANYGPT_DATA
  --only NAMES       only these sets, separated by commas
  --baselines NAMES  none, or some of seed, bm25, minisearch and words (our search by words alone), separated by commas;
                     default: seed,bm25,minisearch
  --half NAME        tune or report: only these queries; tune has the queries whose 32-bit FNV-1a hash of the UTF-8 text
                     has an eighth bit of 0
  --unseen           only queries none of whose relevant tools are in the training data of the model
  --words            rank by words alone, as with search.semantic: false
  --haystack         add the tools of the files in paths, or of the *.tools.json of the folders in paths, to each set as
                     distractors; default: the folder corpus of the data folder
  --removed          also run every query with its relevant tools hidden; the index and its word counts keep them
  --calibration      show how often hits of each stated relevance are right
  --json             print one JSON object
  --help             print this`;

/** The parsed arguments. */
export interface BenchPlan {
  readonly data: string;
  readonly only: readonly string[];
  readonly baselines: readonly string[];
  readonly half: Half;
  /** Only queries that are not in the training data of the model. */
  readonly isUnseen: boolean;
  /** Our search ranks by words alone. */
  readonly isByWords: boolean;
  /** Files and folders whose tools are added to each set. */
  readonly haystack: readonly string[];
  readonly isRemoving: boolean;
  readonly isCalibrating: boolean;
  readonly isJson: boolean;
}

const flag = { type: "boolean", default: false } as const;
const text = { type: "string" } as const;
const OPTIONS = {
  data: text,
  only: text,
  baselines: text,
  half: text,
  unseen: flag,
  words: flag,
  haystack: flag,
  removed: flag,
  calibration: flag,
  json: flag,
  help: flag,
} as const;

/** Undefined with --help. */
export function readPlan(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): BenchPlan | undefined {
  const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  if (values.help) return undefined;
  const data = values.data ?? (env["ANYGPT_DATA"] || undefined);
  if (data === undefined) throw invalid("No data folder is set.", "Set it with --data or ANYGPT_DATA.");
  const baselines = toBaselines(toNames(values.baselines ?? [...BASELINES.keys()].join(",")));
  if (values.words && baselines.includes(WORDS)) {
    throw invalid("With --words, our search equals the baseline words.", "Omit one of them.");
  }
  if (positionals.length > 0 && !values.haystack) {
    throw invalid(`The path ${positionals[0]} needs --haystack.`, "Add --haystack, or omit the path.");
  }
  return {
    data,
    only: toNames(values.only ?? ""),
    baselines,
    half: toHalf(values.half ?? "all"),
    isUnseen: values.unseen,
    isByWords: values.words,
    haystack: values.haystack && positionals.length === 0 ? [join(data, "corpus")] : positionals,
    isRemoving: values.removed,
    isCalibrating: values.calibration,
    isJson: values.json,
  };
}

function toBaselines(requested: readonly string[]): readonly string[] {
  const names = [...new Set(requested)];
  if (names.includes("none")) {
    if (names.length === 1) return [];
    throw invalid("none cannot be combined with baselines.", "Use --baselines none, or only names of baselines.");
  }
  const known = [...BASELINES.keys(), WORDS];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  throw invalid(`No baseline is named "${unknown}".`, `Use none or some of ${known.join(", ")}.`);
}

function toHalf(name: string): Half {
  if (name === "all" || name === "tune" || name === "report") return name;
  throw invalid(`No half is named "${name}".`, "Use tune or report, or omit --half for all queries.");
}

function toNames(list: string): string[] {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function invalid(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
