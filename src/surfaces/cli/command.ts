import type { Context } from "./context.js";

/** One command as data: the parser, the help, the completion and the tests read the same description. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** What to say about an option that the command does not have. */
  readonly unknownOptionHint?: string;
  /** Standard output belongs to a protocol: of the common options it has `--config` only. */
  readonly isProtocol?: true;
  /** May need live servers: the background gateway runs it. `src/daemon/commands.ts` has the same list for the client. */
  readonly usesServers?: true;
  /** What the command's first word may be instead of an argument. */
  readonly commands?: readonly CommandSpec[];
  /** Loaded when the command runs, so that no command pays for the others. */
  readonly load: () => Promise<Handler>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly commands: readonly (CommandSpec | CommandGroup)[];
}

export interface ArgumentSpec {
  /** As commander writes it: `<server>`, `[servers...]`. */
  readonly syntax: string;
  readonly summary: string;
  readonly completes?:
    | "server"
    | "own-server"
    | "disabled-server"
    | "adapter"
    | "tool"
    | "target"
    | "approval"
    | "tool-file"
    | "key"
    | readonly string[];
}

export interface OptionSpec {
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: true;
  /** May be given several times; `list` has all values. */
  readonly isRepeated?: true;
  readonly number?: { readonly min: number; readonly max: number; readonly integer?: true };
  /** A list is all that may be given. */
  readonly completes?: "server" | "file" | "client" | "key" | readonly string[];
}

/** Carries out one command and gives the exit code. */
export type Handler = (input: Input, context: Context) => Promise<number>;

/** What the person typed, already checked against the description. */
export interface Input {
  /** The argument of that name; a repeated one joined by spaces. */
  argument(name: string): string;
  list(name: string): readonly string[];
  text(option: string): string | undefined;
  number(option: string): number | undefined;
  flag(option: string): boolean;
  /** `--no-…` was typed. */
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
