export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? +(\S+)(?: +-?\d+)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Parses the Prometheus text format. Ignores comments and invalid lines. */
export function parseMetrics(text: string): MetricSample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", number = ""] = line.startsWith("#") ? [] : (LINE.exec(line) ?? []);
    return name === undefined ? [] : [{ name, labels: parseLabels(labels), value: toNumber(number) }];
  });
}

function parseLabels(text: string): Record<string, string> {
  const pairs = [...text.matchAll(LABEL)].map(([, name = "", value = ""]) => [name, unescape(value)] as const);
  return Object.fromEntries(pairs);
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
}

function toNumber(text: string): number {
  return /^[+-]?Inf$/.test(text) ? Number(`${text}inity`) : Number(text);
}
