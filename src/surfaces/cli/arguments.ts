import { addAbortSignal, type Readable } from "node:stream";
import { resolve } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { parseJson } from "../../util/document/json.js";
import { readTextFile } from "../../util/document/text.js";
import { interrupted } from "./context.js";
import type { CliIo } from "./io.js";

export interface ArgumentsSource {
  /** `--args` */
  readonly text: string | undefined;
  /** `--args-file` */
  readonly file: string | undefined;
}

/** A tool's arguments as the person gave them. What is wrong with the text is told with its position, never quoted. */
export async function readArguments(
  source: ArgumentsSource,
  io: Pick<CliIo, "stdin" | "cwd" | "signal">,
): Promise<JsonObject> {
  const { text, file } = source;
  if (text !== undefined && file !== undefined) {
    throw wrong("Both --args and --args-file were given.", "Give one of them.");
  }
  if (file === "-") return parseArguments(await readAll(io.stdin, io.signal), "Standard input");
  if (file !== undefined) return parseArguments(await readFile(file, io.cwd), file);
  return text === undefined ? {} : parseArguments(text, "--args");
}

async function readFile(file: string, cwd: string): Promise<string> {
  const content = await readTextFile(resolve(cwd, file));
  if (content.kind === "text") return content.text;
  const reason = content.kind === "missing" ? "does not exist" : content.reason;
  throw wrong(`${file} ${reason}.`, "Name a file that holds a JSON object, or - for standard input.");
}

async function readAll(stdin: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) chunks.push(Buffer.from(chunk as Uint8Array | string));
  } catch (error) {
    if (signal.aborted) throw interrupted();
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw wrong(`Standard input could not be read (${code}).`, "Name a file that holds a JSON object.");
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseArguments(text: string, origin: string): JsonObject {
  const value = parseValue(text, origin);
  if (isJsonObject(value)) return value;
  throw wrong(`${origin} holds no JSON object.`, `Write the arguments by name: --args '{"path":"README.md"}'.`);
}

function parseValue(text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The lenient parser knows positions, and takes the comments and trailing commas that people leave in files.
    const parsed = parseJson(text);
    if (parsed.kind === "document") return parsed.document.value;
    const [fault] = parsed.faults;
    const { line = 1, column = 1 } = fault?.position ?? {};
    const reason = text.trim() === "" ? "it is empty" : (fault?.reason ?? "expected a JSON object");
    throw wrong(
      `${origin} is not JSON: line ${line}, column ${column}: ${reason.replace(/^is not JSON: /, "")}.`,
      `In a shell, put single quotes around the JSON: --args '{"path":"README.md"}'.`,
    );
  }
}

function wrong(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
