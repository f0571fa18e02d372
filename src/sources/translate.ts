import { isJsonObject, type JsonObject } from "../model/json.js";

const MAX_TEXT_LENGTH = 8_192;
const TRANSLATED = ["command", "args", "env", "cwd", "url", "headers", "envFile"];

/** Translates the strings of a connection; names of variables and headers are not changed. */
export function translateTexts(entry: unknown, translate: Translate): unknown {
  if (!isJsonObject(entry)) return entry;
  const script = scriptAt(entry);
  const words = (value: unknown[]): unknown[] =>
    value.map((word, index) => mapTexts(word, (text) => translate(text, script !== undefined && index >= script)));
  const member = (key: string, value: unknown): unknown =>
    key === "args" && Array.isArray(value) ? words(value) : mapTexts(value, (text) => translate(text));
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, TRANSLATED.includes(key) ? member(key, value) : value]),
  );
}

type Translate = (text: string, isShell?: boolean) => string;

const SHELL = /(?:^|[\\/])(?:(?:ba|z|da|k|fi)?sh|cmd|pwsh|powershell)(?:\.exe)?$/i;
const TAKES_SCRIPT = /^(?:-[a-z]*c|-command|\/[ck])$/i;

/** The index in `args` at which a shell script begins: after `sh -c`, `bash -lc`, `cmd /c` and similar. */
function scriptAt({ command, args }: JsonObject): number | undefined {
  if (!Array.isArray(args)) return undefined;
  const words = [command, ...args].map((word) => (typeof word === "string" ? word : ""));
  const shell = words.findIndex((word) => SHELL.test(word));
  const option = shell === -1 ? -1 : words.findIndex((word, index) => index > shell && TAKES_SCRIPT.test(word));
  // `words` begins with the command and `args` does not, so the index of the option in `words` is the index of the
  // script in `args`.
  return option === -1 ? undefined : option;
}

function mapTexts(value: unknown, translate: (text: string) => string): unknown {
  // Longer strings fail validation later; do not spend time on them.
  if (typeof value === "string") return value.length > MAX_TEXT_LENGTH ? value : translate(value);
  if (Array.isArray(value)) return value.map((item) => (typeof item === "string" ? mapTexts(item, translate) : item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value satisfies JsonObject).map(([key, member]) => [
      key,
      typeof member === "string" ? mapTexts(member, translate) : member,
    ]),
  );
}
