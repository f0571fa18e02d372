import type { Family, Labels, Sample } from "./instruments.js";

/** The Prometheus text format, version 0.0.4. A family without samples is omitted. */
export function toPrometheusText(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, kind, samples }) =>
      [
        `# HELP ${name} ${escape(help, /[\\\n]/g)}\n`,
        `# TYPE ${name} ${kind}\n`,
        ...samples.map((sample) => toLine(name, sample)),
      ].join(""),
    )
    .join("");
}

function toLine(name: string, { suffix, labels, value }: Sample): string {
  return `${name}${suffix}${toLabels(labels)} ${toNumber(value)}\n`;
}

/** In Prometheus, a label with an empty value is equal to no label. */
function toLabels(labels: Labels): string {
  const written = Object.entries(labels)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}="${escape(value, /[\\\n"]/g)}"`);
  return written.length === 0 ? "" : `{${written.join(",")}}`;
}

/** The format has exactly three escape sequences. */
function escape(text: string, special: RegExp): string {
  return text.toWellFormed().replace(special, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}

/** Numbers in the syntax of Go's ParseFloat, which Prometheus uses. */
function toNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
