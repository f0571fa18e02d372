// Measures how much each constant of the ranking contributes: prints a Markdown table of the macro averages with the constant off, smaller and larger.
import { parseArgs } from "node:util";
import { loadInternals, requireData } from "./support/judged-sets.mjs";
import { MEASURES, openJudge } from "./support/ranking-judge.mjs";
import { SWITCHES, toNumbers, withNumber } from "./support/ranking-variants.mjs";

const HELP = `Usage: npm run ablation -- [options]

Runs the queries of the half "tune" whose tools were not used to train the model, over the tools of
each set and in the haystack of corpus/. Prints by how many percentage points the macro averages change
when a constant of the ranking is switched off, multiplied by 0.7 and multiplied by 1.4.
The labelled sets are read from the folder in ANYGPT_DATA.

  --only NAME  measure only this constant ("clause", "fields.name.weight"), all constants that begin
               with "NAME.", or this switch ("without meaning"); may be repeated
  --max N      the maximum number of queries per set (default 120)
  --help       print this help`;

const FACTORS = [0.7, 1.4];

const options = readOptions();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}

const folder = requireData();
const internals = await loadInternals();
const numbers = toNumbers(internals.RANKING).filter(({ name }) => isWanted(name));
const switches = SWITCHES.filter(({ name }) => isWanted(name));
if (numbers.length + switches.length === 0) fail(`No constant or switch is named "${options.only.join('", "')}".`);

console.error("reading sets and corpus");
const judge = await openJudge(folder, internals, Number(options.max));
const base = judge.measure(internals.RANKING);
const measureChange = createProgress((variant) => toChange(judge.measure(variant.ranking, variant.has), base));

const switchRows = switches.map(({ name, change }) => {
  const variant = change(internals.RANKING);
  return [name, measureChange(name, variant)];
});
const numberRows = numbers.map(({ name, value, path, off }) => {
  const isUsed = path[0] !== "fields" || judge.hasField(path[1]);
  const changeTo = (other) =>
    isUsed && other !== undefined
      ? measureChange(`${name} = ${Number(other.toPrecision(3))}`, {
          ranking: withNumber(internals.RANKING, path, other),
        })
      : undefined;
  return { name, value, isUsed, changes: [changeTo(off), ...FACTORS.map((factor) => changeTo(value * factor))] };
});
console.log(toReport());

function readOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: "string", multiple: true, default: [] },
        max: { type: "string", default: "120" },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return fail(error.message);
  }
}

function fail(message) {
  console.error(`${message}\n\n${HELP}`);
  process.exit(1);
}

function isWanted(name) {
  return options.only.length === 0 || options.only.some((one) => name === one || name.startsWith(`${one}.`));
}

/** Prints the progress and the estimated remaining time after each variant. */
function createProgress(measure) {
  const used = numbers.filter(({ path }) => path[0] !== "fields" || judge.hasField(path[1]));
  const total = switches.length + used.reduce((sum, { off }) => sum + FACTORS.length + (off === undefined ? 0 : 1), 0);
  const started = performance.now();
  let done = 0;
  return (name, variant) => {
    const change = measure(variant);
    done += 1;
    const left = ((performance.now() - started) / done) * (total - done);
    console.error(`${done} of ${total}, about ${(left / 60_000).toFixed(1)} minutes left: ${name}`);
    return change;
  };
}

/** For each catalog (small, haystack) and measure: the change of the macro average in percentage points and its standard error, paired by query. */
function toChange(measured, base) {
  return measured.map((sets, place) =>
    MEASURES.map((_, measure) => {
      const differences = sets.map((queries, set) =>
        queries.map((scores, query) => 100 * (scores[measure] - base[place][set][query][measure])),
      );
      const change = mean(differences.map(mean));
      const error = Math.hypot(...differences.map(standardError)) / differences.length;
      return { change, isSure: Math.abs(change) > 2 * error && Math.abs(change) > 0.05 };
    }),
  );
}

function standardError(values) {
  const center = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - center) ** 2)) / values.length);
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function toReport() {
  const macro = base.map((sets) =>
    MEASURES.map((_, measure) => mean(sets.map((queries) => mean(queries.map((scores) => scores[measure]))))),
  );
  const absolute = ([small, haystack]) => `small ${toShares(small)}, haystack ${toShares(haystack)}`;
  return [
    `nDCG@10 / hit@1 / recall@5, macro over ${judge.sets.length} sets (${judge.sets.map(({ name, queries }) => `${name} ${queries.length}`).join(", ")} queries of the half "tune", none of whose tools are training data of the model). Without a change: ${absolute(macro)}. The table has the change in percentage points; bold is more than two standard errors, paired by query. Only the order of hits is measured: no hit is rejected or omitted.`,
    "",
    ...(switchRows.length === 0 ? [] : toTable(["switch", "small", "haystack"], switchRows.map(toSwitchCells))),
    ...(numberRows.length === 0
      ? []
      : toTable(
          ["number", "is", "small: off", "× 0.7", "× 1.4", "haystack: off", "× 0.7", "× 1.4"],
          numberRows.map(toNumberCells),
        )),
  ].join("\n");
}

function toTable(heads, rows) {
  return [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).concat("");
}

function toSwitchCells([name, change]) {
  return [name, ...change.map(toChangeCell)];
}

function toNumberCells({ name, value, isUsed, changes }) {
  const cellOf = (place) => (change) => (change === undefined ? "–" : toChangeCell(change[place]));
  if (!isUsed) return [name, value, "no tool has this field", ...Array.from({ length: 5 }, () => "")];
  return [name, value, ...changes.map(cellOf(0)), ...changes.map(cellOf(1))];
}

function toChangeCell(measures) {
  return measures
    .map(({ change, isSure }) => {
      const text = change.toFixed(1).replace("-0.0", "0.0").replace("-", "−");
      const signed = change >= 0.05 ? `+${text}` : text;
      return isSure ? `**${signed}**` : signed;
    })
    .join(" / ");
}

function toShares(values) {
  return values.map((value) => value.toFixed(3)).join(" / ");
}
