import type { Family, Labels, Sample } from "./instruments.js";

/** Renders the families in the Prometheus text format, version 0.0.4. A family without samples is omitted. */
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

/** Renders labels. A label with an empty value is omitted: in Prometheus, both mean the same. */
function toLabels(labels: Labels): string {
  const written = Object.entries(labels)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}="${escape(value, /[\\\n"]/g)}"`);
  return written.length === 0 ? "" : `{${written.join(",")}}`;
}

/** Escapes backslashes, line breaks and, in label values, double quotes: the format has only these escape sequences. */
function escape(text: string, special: RegExp): string {
  return text.toWellFormed().replace(special, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}

/** Formats a number as Prometheus parses it (Go's `ParseFloat`). */
function toNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
