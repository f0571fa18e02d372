import type { CompletionSource } from "../../operations/completions.js";
import type { Context } from "./context.js";

/**
 * One command as data. The parser, the help, shell completion, the reference documentation and the tests all read it.
 */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Hint in the error for an option that the command does not have. */
  readonly unknownOptionHint?: string;
  /** Standard output carries a protocol, so of the common options the command has only `--config`. */
  readonly isProtocol?: true;
  /**
   * The command may need running servers, so it runs in the background gateway. Also list it in
   * `src/daemon/commands.ts`.
   */
  readonly usesServers?: true;
  /** Subcommands, selected by the first word in place of an argument. */
  readonly commands?: readonly CommandSpec[];
  /** Imports the handler when the command runs, so that a command does not load the code of the others. */
  readonly load: () => Promise<Handler>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly commands: readonly (CommandSpec | CommandGroup)[];
}

export interface ArgumentSpec {
  /** In commander's syntax: `<server>`, `[servers...]`. */
  readonly syntax: string;
  readonly summary: string;
  readonly completes?: CompletionSource | readonly string[];
}

export interface OptionSpec {
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: true;
  /** May be repeated; `Input.list` returns all values. */
  readonly isRepeated?: true;
  readonly number?: { readonly min: number; readonly max: number; readonly integer?: true };
  /** Source of completions. A list of strings also restricts the value to these strings. */
  readonly completes?: CompletionSource | readonly string[];
}

/** Options by their flags. If the value is a string, it is the summary of the option. */
export type OptionTable = Readonly<Record<string, string | Omit<OptionSpec, "flags">>>;

export function toOptions(table: OptionTable): OptionSpec[] {
  return Object.entries(table).map(([flags, option]) =>
    typeof option === "string" ? { flags, summary: option } : { flags, ...option },
  );
}

/** Runs one command and returns its exit code; without a value it is 0. */
export type Handler = (input: Input, context: Context) => Promise<number | void>;

/** Arguments and options of the command line, already validated against the `CommandSpec`. */
export interface Input {
  /** The argument of that name; several values are joined with spaces. */
  argument(name: string): string;
  list(name: string): readonly string[];
  text(option: string): string | undefined;
  number(option: string): number | undefined;
  flag(option: string): boolean;
  /** Whether `--no-OPTION` was passed. */
  isOff(option: string): boolean;
}

export function isGroup(entry: CommandSpec | CommandGroup): entry is CommandGroup {
  return !("load" in entry);
}

export function createInput(values: Readonly<Record<string, unknown>>): Input {
  const list = (name: string): readonly string[] => {
    const value = values[name];
    return (Array.isArray(value) ? value : [value]).filter((word) => typeof word === "string");
  };
  return {
    list,
    argument: (name) => list(name).join(" "),
    text: (option) => (typeof values[option] === "string" ? values[option] : undefined),
    number: (option) => (typeof values[option] === "number" ? values[option] : undefined),
    flag: (option) => values[option] === true,
    isOff: (option) => values[option] === false,
  };
}
