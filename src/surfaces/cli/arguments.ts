import { addAbortSignal, type Readable } from "node:stream";
import { resolve } from "node:path";
import { DiscoveryError } from "../../errors.js";
import type { Call } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { parseJson } from "../../util/document/json.js";
import { readTextFile, toText } from "../../util/document/text.js";
import { parseStrictJson } from "../../util/json/parse-strict.js";
import { isMalformed, type JsonViolation } from "../../util/json/violation.js";
import { interrupted } from "./context.js";
import type { CliIo } from "./io.js";
import { toPlainJson } from "./plain-json.js";

export interface ArgumentsSource {
  /** `--args` */
  readonly text: string | undefined;
  /** `--args-file` */
  readonly file: string | undefined;
  /** What these options are called where they are called otherwise. */
  readonly option?: string;
}

/** The arguments, and what reading them has silently changed: the executor refuses those, so that this, too, is on record. */
export interface GivenArguments {
  readonly arguments: JsonObject;
  readonly flaws: NonNullable<Call["flaws"]>;
}

/** A tool's arguments as the person gave them. What is wrong with the text is told with its position, never quoted. */
export async function readArguments(
  source: ArgumentsSource,
  io: Pick<CliIo, "stdin" | "cwd" | "signal">,
): Promise<GivenArguments> {
  const { text, file, option = "--args" } = source;
  if (text !== undefined && file !== undefined) {
    throw wrong(`Both ${option} and ${option}-file were given.`, "Give one of them.");
  }
  if (file !== undefined) {
    const content = await readFileOrInput(file, "Name a file that holds a JSON object, or - for standard input.", io);
    return parseArguments(content, file === "-" ? "Standard input" : file, option);
  }
  return text === undefined ? { arguments: {}, flaws: [] } : parseArguments(text, option);
}

/** The text of a file, or of standard input for `-`. */
export async function readFileOrInput(
  file: string,
  hint: string,
  { stdin, cwd, signal }: Pick<CliIo, "stdin" | "cwd" | "signal">,
): Promise<string> {
  if (file === "-") return await readAll(stdin, signal);
  const content = await readTextFile(resolve(cwd, file));
  if (content.kind === "text") return content.text;
  const reason = content.kind === "missing" ? "does not exist" : content.reason;
  throw wrong(`${file === "" ? "The file after @" : file} ${reason}.`, hint);
}

export async function readAll(stdin: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) chunks.push(Buffer.from(chunk as Uint8Array | string));
  } catch (error) {
    if (signal.aborted) throw interrupted();
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw wrong(`Standard input could not be read (${code}).`, "Name a file that holds a JSON object.");
  }
  const content = toText(Buffer.concat(chunks));
  if (content.kind === "text") return content.text;
  throw wrong(`Standard input ${content.kind === "missing" ? "is empty" : content.reason}.`, "Send UTF-8 text.");
}

/** The comments and trailing commas that people leave in files are taken out first, where that makes it JSON. */
export function parseArguments(text: string, origin: string, option = origin): GivenArguments {
  const asWritten = parseStrictJson(text);
  const isPlain = asWritten.kind === "value" || !asWritten.violations.some(({ kind }) => kind === "not-json");
  const plain = isPlain ? text : toPlainJson(text);
  const strict = isPlain ? asWritten : parseStrictJson(plain);
  if (strict.kind === "refused" && strict.violations.some(isMalformed)) {
    throw unreadable(text, strict.violations, { origin, option });
  }
  const value: unknown = strict.kind === "value" ? strict.value : JSON.parse(plain);
  if (isJsonObject(value)) return { arguments: value, flaws: strict.kind === "value" ? [] : strict.violations };
  throw wrong(`${origin} holds no JSON object.`, `Write the arguments by name: ${option} '{"path":"README.md"}'.`);
}

function unreadable(
  text: string,
  violations: readonly JsonViolation[],
  { origin, option }: { readonly origin: string; readonly option: string },
): DiscoveryError {
  const beyond = violations.find(({ kind }) => kind !== "not-json" && kind !== "not-utf8");
  if (beyond !== undefined && isMalformed(beyond)) {
    return wrong(`${origin} ${beyond.message}.`, "Pass a smaller and flatter value.");
  }
  const parsed = parseJson(text);
  const [fault] = parsed.kind === "faults" ? parsed.faults : [];
  const { line = 1, column = 1 } = fault?.position ?? {};
  const reason = text.trim() === "" ? "it is empty" : (fault?.reason ?? "expected a JSON object");
  return wrong(
    `${origin} is not JSON: line ${line}, column ${column}: ${reason.replace(/^is not JSON: /, "")}.`,
    `In a shell, put single quotes around the JSON: ${option} '{"path":"README.md"}'.`,
  );
}

function wrong(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
