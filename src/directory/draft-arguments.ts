// Converts the arguments of a directory entry into arguments of a configuration and a list of placeholders that the
// user must replace.
import type { DirectoryArgument, DirectoryEntry, DirectoryInput } from "./entry.js";

/** An argument whose value only the user knows. */
export interface Placeholder {
  /** The index of this argument in the argument list. */
  readonly index: number;
  /** The text in place of the value until the user replaces it, such as `<folder>`. */
  readonly word: string;
  /** An example value that works on most machines. In a shell command it is not quoted, so that `~` is expanded. */
  readonly example?: string;
}

export interface DraftArguments {
  readonly args: readonly string[];
  readonly placeholders: readonly Placeholder[];
}

/**
 * Converts the arguments of an entry. Omits an option whose value is a placeholder if an optional environment variable
 * can set the same value.
 */
export function toDraftArguments({ arguments: listed, variables }: DirectoryEntry): DraftArguments {
  const args: string[] = [];
  const placeholders: Placeholder[] = [];
  for (const [at, argument] of listed.entries()) {
    const next = listed[at + 1];
    if (isOption(argument) && next?.isPlaceholder === true && isOptional(argument.value, variables)) continue;
    if (argument.isPlaceholder !== true) {
      args.push(toLiteralText(argument.value));
      continue;
    }
    const before = listed[at - 1];
    const [, inline] = /^(--?[\w-]+)=/.exec(argument.value) ?? [];
    const option = inline ?? (before !== undefined && isOption(before) ? before.value : undefined);
    if (option !== undefined && isOptional(option, variables)) continue;
    placeholders.push({ index: args.length, ...toPlaceholder(argument.value) });
    args.push(toPlaceholder(argument.value).word);
  }
  return { args, placeholders };
}

/**
 * Escapes text from the directory, so that the configuration does not interpret it as a variable or a secret reference.
 */
export function toLiteralText(text: string): string {
  return text.replaceAll("${", () => "$${");
}

const FOLDER = /^\$\{workspace(?:Folder|Root)\}$/;

function toPlaceholder(value: string): Omit<Placeholder, "index"> {
  if (FOLDER.test(value)) return { word: "<folder>", example: "~/documents" };
  return { word: toLiteralText(value.replace(/\$\{(?:input:|env:)?([^{}]*)\}/g, "<$1>")) };
}

function isOption({ value, isPlaceholder }: DirectoryArgument): boolean {
  return isPlaceholder !== true && /^--?[A-Za-z][\w-]*$/.test(value);
}

/** Whether an optional environment variable can replace the option: `CONTEXT7_API_KEY` for `--api-key`. */
function isOptional(option: string, variables: readonly DirectoryInput[]): boolean {
  const name = option
    .replace(/^-+/, "")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toUpperCase();
  const matches = (variable: string): boolean => variable === name || variable.endsWith(`_${name}`);
  return variables.some((variable) => variable.isRequired !== true && matches(variable.name));
}
