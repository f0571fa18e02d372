// Parses tool arguments on the command line: `name=value`, `name:=json`, `name=@file`, `name:=@file`, `@file`.
// docs/reference/command-line.md documents them for users.
import { DiscoveryError } from "../../errors.js";
import type { Hint } from "../../model/next-steps.js";
import type { JsonObject } from "../../model/json.js";
import { type ArgumentsInput, type GivenArguments, parseArguments, readFileOrInput } from "./read-arguments.js";
import { type NamedArgument, toArgumentText } from "./argument-text.js";

/** The arguments from the command line, before the tool's schema is known. */
export interface ArgumentWords {
  readonly named: readonly NamedArgument[];
  /** All arguments of the file that `@file` names. */
  readonly whole: GivenArguments | undefined;
  /** True if standard input was read for an argument, so that the user cannot answer questions there. */
  readonly hasUsedInput: boolean;
}

/** The tool that the arguments are for. */
export interface WordTarget {
  readonly inputSchema: JsonObject;
  /** The tool's signature, shown with every error. */
  readonly signature?: string;
}

/** Whether a word can only be an argument and not the name of a tool. */
export function isArgumentWord(word: string): boolean {
  return word.startsWith("@") || word.includes("=");
}

export async function readArgumentWords(words: readonly string[], io: ArgumentsInput): Promise<ArgumentWords> {
  const files = words.filter((word) => word.startsWith("@"));
  if (files.length > 1)
    throw wrong(`${files.join(" and ")} cannot be used together.`, "Put all arguments into one file.");
  const fromInput = words.filter((word) => /^@-$|^[^=]+=@-$/.test(word));
  if (fromInput.length > 1) {
    throw wrong(`${fromInput.join(" and ")} both read standard input.`, "Read only one argument from standard input.");
  }
  const [file] = files;
  const named: NamedArgument[] = [];
  for (const word of words) if (!word.startsWith("@")) named.push(await readNamed(splitWord(word), io));
  return {
    named,
    whole: file === undefined ? undefined : await readWhole(file.slice(1), io),
    hasUsedInput: fromInput.length > 0,
  };
}

/** The arguments of the call. NAME=VALUE arguments override members of the same name in `@file`. */
export function toGivenArguments({ named, whole }: ArgumentWords, target: WordTarget): GivenArguments {
  const fromWords = parseArguments(withSignature(named, target), "The arguments", "--args");
  if (whole === undefined) return fromWords;
  return {
    arguments: { ...whole.arguments, ...fromWords.arguments },
    flaws: [...whole.flaws, ...fromWords.flaws],
  };
}

function withSignature(named: readonly NamedArgument[], { inputSchema, signature }: WordTarget): string {
  try {
    return toArgumentText(named, inputSchema);
  } catch (error) {
    if (!(error instanceof DiscoveryError) || signature === undefined) throw error;
    throw wrong(error.message, [...error.nextSteps, `The signature of the tool is ${signature}.`]);
  }
}

function splitWord(word: string): NamedArgument {
  const at = word.indexOf("=");
  const isJson = word[at - 1] === ":";
  const name = word.slice(0, isJson ? at - 1 : at);
  if (at > 0 && name !== "") return { name, value: word.slice(at + 1), isJson };
  throw wrong(
    `${JSON.stringify(word)} is not an argument.`,
    "Write NAME=VALUE, NAME:=JSON, NAME=@FILE, @FILE for all arguments in a file, or --args '{…}' for all arguments as JSON.",
  );
}

async function readNamed({ name, value, isJson }: NamedArgument, io: ArgumentsInput): Promise<NamedArgument> {
  if (!value.startsWith("@")) return { name, value, isJson };
  if (!isJson && value.startsWith("@@")) return { name, value: value.slice(1), isJson };
  const hint = isJson
    ? "Pass the path of a file that contains JSON, or - for standard input."
    : `Pass the path of a file, or - for standard input. Write ${name}=@@TEXT for a string that begins with @.`;
  return { name, value: await readFileOrInput(value.slice(1), hint, io), isJson };
}

async function readWhole(file: string, io: ArgumentsInput): Promise<GivenArguments> {
  const hint = "Pass the path of a file that contains a JSON object, or - for standard input.";
  const text = await readFileOrInput(file, hint, io);
  return parseArguments(text, file === "-" ? "Standard input" : file, "--args");
}

function wrong(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
