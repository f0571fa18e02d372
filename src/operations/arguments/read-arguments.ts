import { interrupted } from "../../util/interrupted.js";
import { addAbortSignal, type Readable } from "node:stream";
import { resolve } from "node:path";
import { DiscoveryError } from "../../errors.js";
import type { CallContext } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { parseJson } from "../../util/document/json.js";
import { readTextFile, decodeUtf8 } from "../../util/document/text.js";
import { parseStrictJson } from "../../util/json/parse-strict.js";
import { isMalformed, type JsonViolation } from "../../util/json/violation.js";
import { toPlainJson } from "./plain-json.js";

/** Where arguments are read from besides the command line. */
export interface ArgumentsInput {
  readonly stdin: Readable;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export interface ArgumentsSource {
  /** The value of `--args`. */
  readonly text: string | undefined;
  /** The value of `--args-file`. */
  readonly file: string | undefined;
  /** Name of the option if it is not `--args`; the file option has this name plus `-file`. */
  readonly option?: string;
}

/**
 * The parsed arguments, and the flaws in their JSON that `JSON.parse` accepts and changes silently, such as duplicate
 * keys. The executor rejects a call with flaws, so the audit log records the attempt.
 */
export interface GivenArguments {
  readonly arguments: JsonObject;
  readonly flaws: NonNullable<CallContext["flaws"]>;
}

/**
 * Reads a tool's arguments from the command line. An error gives the position of the syntax error and never quotes the
 * text, which may be secret.
 */
export async function readArguments(source: ArgumentsSource, io: ArgumentsInput): Promise<GivenArguments> {
  const { text, file, option = "--args" } = source;
  if (text !== undefined && file !== undefined) {
    throw wrong(`${option} and ${option}-file cannot be used together.`, "Pass only one of the two options.");
  }
  if (file !== undefined) {
    const content = await readFileOrInput(
      file,
      "Pass the path of a file that contains a JSON object, or - for standard input.",
      io,
    );
    return parseArguments(content, file === "-" ? "Standard input" : file, option);
  }
  return text === undefined ? { arguments: {}, flaws: [] } : parseArguments(text, option);
}

/** Reads the text of a file, or of standard input if `file` is `-`. */
export async function readFileOrInput(
  file: string,
  hint: string,
  { stdin, cwd, signal }: ArgumentsInput,
): Promise<string> {
  if (file === "-") return await readStandardInput(stdin, signal);
  const content = await readTextFile(resolve(cwd, file));
  if (content.kind === "text") return content.text;
  const reason = content.kind === "missing" ? "does not exist" : content.reason;
  throw wrong(`${file === "" ? "The file after @" : file} ${reason}.`, hint);
}

export async function readStandardInput(stdin: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) chunks.push(Buffer.from(chunk as Uint8Array | string));
  } catch (error) {
    if (signal.aborted) throw interrupted();
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw wrong(`Standard input could not be read (${code}).`, "Pass the path of a file that contains a JSON object.");
  }
  const content = decodeUtf8(Buffer.concat(chunks));
  if (content.kind === "text") return content.text;
  throw wrong(`Standard input ${content.kind === "missing" ? "is empty" : content.reason}.`, "Send UTF-8 text.");
}

/**
 * Parses a JSON object. Accepts comments and trailing commas: if the text is not valid JSON, it is parsed without them.
 */
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
  throw wrong(
    `${origin} is not a JSON object.`,
    `Write an object with named arguments: ${option} '{"path":"README.md"}'.`,
  );
}

function unreadable(
  text: string,
  violations: readonly JsonViolation[],
  { origin, option }: { readonly origin: string; readonly option: string },
): DiscoveryError {
  const overLimit = violations.find(({ kind }) => kind !== "not-json" && kind !== "not-utf8");
  if (overLimit !== undefined && isMalformed(overLimit)) {
    return wrong(`${origin} ${overLimit.message}.`, "Pass a smaller value with less nesting.");
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
