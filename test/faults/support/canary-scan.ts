// Finds values in bytes and reports their form. Shares no code with the redaction.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** A part of a value that is too long to occur by chance: half of a truncated value is reported too. */
const WINDOW = 12;

export interface Needle {
  readonly canary: string;
  readonly form: string;
  readonly bytes: Buffer;
}

/** Everything to search for: each value in every form, and its parts in plain text. */
export function createNeedles(canaries: Readonly<Record<string, string>>): Needle[] {
  return Object.entries(canaries).flatMap(([canary, value]) =>
    [...formsOf(value), ...windowsOf(value)].map(([form, text]) => ({ canary, form, bytes: Buffer.from(text) })),
  );
}

function formsOf(value: string): [form: string, text: string][] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value);
  const form = new URLSearchParams({ q: value }).toString().slice(2);
  const bytes = Buffer.from(value);
  return [
    ["plain", value],
    ["URL", url],
    ["URL, lower case", url.replace(/%../g, (escape) => escape.toLowerCase())],
    ["form", form],
    ["JSON", json],
    ["JSON in JSON", JSON.stringify(json).slice(1, -1)],
    ["hex", bytes.toString("hex")],
    ["HEX", bytes.toString("hex").toUpperCase()],
    ...[0, 1, 2].flatMap((offset): [string, string][] => {
      const text = inBase64(bytes, offset);
      const url64 = text.replaceAll("+", "-").replaceAll("/", "_");
      return [
        [`base64 at ${offset}`, text],
        [`base64url at ${offset}`, url64],
      ];
    }),
  ];
}

/** The encoded characters that depend on the value only, whatever comes before and after it. */
function inBase64(bytes: Buffer, offset: number): string {
  const [zeros, ones] = [0, 255].map((fill) =>
    Buffer.concat([Buffer.alloc(offset, fill), bytes, Buffer.alloc(3, fill)]).toString("base64"),
  ) as [string, string];
  let first = 0;
  while (zeros[first] !== ones[first]) first += 1;
  let end = first;
  while (end < zeros.length && zeros[end] === ones[end]) end += 1;
  return zeros.slice(first, end);
}

function windowsOf(value: string): [form: string, text: string][] {
  const starts = Array.from({ length: Math.max(0, value.length - WINDOW) }, (_, start) => start);
  return starts.map((start) => [`a part from ${start}`, value.slice(start, start + WINDOW)]);
}

/** At most one line for each value: its position and form. */
export function scanBytes(bytes: Buffer, where: string, needles: readonly Needle[]): string[] {
  const found = new Map<string, string>();
  for (const { canary, form, bytes: needle } of needles) {
    if (found.has(canary)) continue;
    const at = bytes.indexOf(needle);
    if (at >= 0) found.set(canary, `${where}: ${canary} as ${form} at byte ${at}`);
  }
  return [...found.values()];
}

/** Every file in the folder except those that the test has written. */
export function scanFiles(folder: string, written: ReadonlySet<string>, needles: readonly Needle[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap((entry) => {
    const file = join(entry.parentPath, entry.name);
    const name = relative(folder, file);
    const inName = scanBytes(Buffer.from(name), "the name of a file", needles);
    return written.has(file) ? inName : [...inName, ...scanBytes(readFileSync(file), name, needles)];
  });
}

/** The command lines of these processes only. */
export function scanCommandLines(pids: readonly number[], needles: readonly Needle[]): string[] {
  return pids.flatMap((pid) => {
    try {
      return scanBytes(readFileSync(`/proc/${pid}/cmdline`), `the command line of process ${pid}`, needles);
    } catch {
      // The process has exited.
      return [];
    }
  });
}
