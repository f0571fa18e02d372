import { join } from "node:path";
import { DiscoveryError } from "../../../errors.js";
import type { Input } from "../command.js";
import type { Half } from "./half.js";
import { BASELINES, WORDS } from "./rankers.js";

/** What is to be measured, as the person asked for it. */
export interface Plan {
  readonly source: Source;
  readonly half: Half;
  /** Only queries that did not teach the model. */
  readonly isUnseen: boolean;
  /** Ours goes by words alone, whatever the configuration says. */
  readonly isByWords: boolean;
  /** Files and folders whose tools are added to each set. */
  readonly haystack: readonly string[];
  readonly isRemoving: boolean;
  readonly isCalibrating: boolean;
}

export type Source =
  | { readonly kind: "files"; readonly catalog: string; readonly queries: string; readonly unanswerable?: string }
  | {
      readonly kind: "folder";
      readonly data: string;
      readonly only: readonly string[];
      readonly baselines: readonly string[];
    };

export function readPlan(input: Input, env: Readonly<Record<string, string | undefined>>): Plan {
  const data = input.text("data") ?? (env["ANYGPT_DATA"] || undefined);
  return {
    source: input.text("catalog") === undefined ? toFolder(input, data) : toFiles(input),
    half: toHalf(input.text("half") ?? "all"),
    isUnseen: input.flag("unseen"),
    isByWords: input.flag("words"),
    haystack: toHaystack(input, data),
    isRemoving: input.flag("removed"),
    isCalibrating: input.flag("calibration"),
  };
}

function toFiles(input: Input): Source {
  const [catalog = "", queries, unanswerable] = ["catalog", "queries", "unanswerable"].map((name) => input.text(name));
  if (queries === undefined) throw missing("queries", "--catalog goes with the file of its queries.");
  for (const option of ["data", "only", "baselines"]) {
    if (input.text(option) === undefined) continue;
    throw wrong(`--${option} is for a folder of sets, --catalog for one catalog.`, "Give one of them.");
  }
  if (input.flag("unseen"))
    throw wrong("--unseen is for a folder of sets.", "Of one catalog it is not known what taught.");
  return { kind: "files", catalog, queries, ...(unanswerable === undefined ? {} : { unanswerable }) };
}

function toFolder(input: Input, data: string | undefined): Source {
  for (const option of ["queries", "unanswerable"]) {
    if (input.text(option) === undefined) continue;
    throw missing("catalog", `--${option} goes with the file of the tools.`);
  }
  if (data === undefined) {
    throw wrong(
      "There is nothing to measure with.",
      "Give --catalog and --queries for tools of your own, or a folder of sets with --data or in ANYGPT_DATA.",
    );
  }
  const baselines = toKnown(toNames(input.text("baselines") ?? [...BASELINES.keys()].join(",")));
  if (input.flag("words") && baselines.includes(WORDS)) {
    throw wrong("--words makes ours the same as the baseline words.", "Leave one of them out.");
  }
  return { kind: "folder", data, only: toNames(input.text("only") ?? ""), baselines };
}

function toKnown(given: readonly string[]): readonly string[] {
  const names = [...new Set(given)];
  if (names.includes("none")) {
    if (names.length === 1) return [];
    throw wrong("none stands alone: it is no baseline.", "Give --baselines none, or the names of baselines.");
  }
  const known = [...BASELINES.keys(), WORDS];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  throw wrong(`No baseline is named "${unknown}".`, `There are ${known.join(", ")}, and none.`);
}

function toHalf(text: string): Half {
  if (text === "all" || text === "tune" || text === "report") return text;
  throw wrong(`No half is named "${text}".`, "Give tune or report, or leave --half out for all queries.");
}

function toHaystack(input: Input, data: string | undefined): readonly string[] {
  if (!input.flag("haystack")) return input.list("haystack");
  if (data !== undefined) return [join(data, "corpus")];
  throw wrong(
    "--haystack names no files, and there is no data folder to take them from.",
    "Name the files or the folder behind it, or give --data or ANYGPT_DATA.",
  );
}

function toNames(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** In the words of the parser, which cannot know that two options belong together. */
function missing(option: string, hint: string): DiscoveryError {
  return wrong(`Required option '--${option} <file>' not specified.`, hint);
}

function wrong(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
