import { isGroup, type CommandGroup, type CommandSpec, type OptionSpec } from "./command.js";
import { createContext } from "./context.js";
import type { CliIo } from "./io.js";
import { commandOptions } from "./program.js";
import { withEngine } from "./session.js";
import { type CompletionRequest, completionsOf } from "../../operations/completions.js";
import { ANYGPT, COMMON_OPTIONS } from "./table.js";
import { engineOptions } from "./trust-files.js";

/** Completions for the last word, given the words before it. Starts no server and never fails. */
export async function completeWords(words: readonly string[], io: CliIo): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const position = locate(words.slice(0, -1));
  const candidates = await candidatesFor(position, typed, io).catch(() => []);
  return [...new Set(candidates)].filter((word) => word.startsWith(typed) && SAFE.test(word)).sort();
}

/** Words that need no quoting in a shell. Other words are not offered, because shells insert completions unquoted. */
const SAFE = /^[\w@%+=:,./-]+$/;

interface CursorPosition {
  readonly entry: CommandSpec | CommandGroup;
  readonly operands: readonly string[];
  /** The option whose value is being typed. */
  readonly option: OptionSpec | undefined;
  readonly config: string | undefined;
}

function locate(words: readonly string[]): CursorPosition {
  let entry: CommandSpec | CommandGroup = ANYGPT;
  let option: OptionSpec | undefined;
  let config: string | undefined;
  const operands: string[] = [];
  // Bash splits `--server=github` and `github:create_issue` into three words each.
  for (const word of words.filter((word) => word !== "=" && word !== ":")) {
    if (option !== undefined) {
      if (nameOf(option) === "--config") config = word;
      option = undefined;
    } else if (word.startsWith("-")) {
      option = allOptions(entry).find((one) => namesOf(one).includes(word) && takesValue(one));
    } else {
      const children: readonly (CommandSpec | CommandGroup)[] = operands.length > 0 ? [] : childrenOf(entry);
      const child = children.find(({ name }) => name === word);
      if (child !== undefined) entry = child;
      else if (word !== "help" || !isGroup(entry)) operands.push(word);
    }
  }
  return { entry, operands, option, config };
}

async function candidatesFor(
  { entry, operands, option, config }: CursorPosition,
  typed: string,
  io: CliIo,
): Promise<string[]> {
  if (option === undefined && typed.startsWith("-")) return [...allOptions(entry).map(nameOf), "--help"];
  if (option === undefined && isGroup(entry))
    return operands.length > 0 ? [] : childrenOf(entry).map(({ name }) => name);
  const specs = isGroup(entry) ? [] : (entry.arguments ?? []);
  const last = specs.at(-1);
  const spec = option ?? specs[operands.length] ?? (last?.syntax.includes("...") ? last : undefined);
  const context = createContext(io, { isJson: true, isVerbose: false, isColorless: true, configPath: config });
  const found = await valuesFor(spec?.completes, {
    options: engineOptions(context),
    withEngine: (use) => withEngine(context, use),
    typed,
    operands,
  });
  const isFirst = option === undefined && spec?.completes === "server" && operands.length === 0;
  return isFirst ? [...(entry.commands ?? []).map(({ name }) => name), ...found] : found;
}

async function valuesFor(completes: OptionSpec["completes"], request: CompletionRequest): Promise<string[]> {
  if (completes === undefined) return [];
  return typeof completes === "string" ? await completionsOf(completes, request) : [...completes];
}

/** The subcommands. Those of `anygpt mcp` can also be typed without `mcp`. */
function childrenOf(entry: CommandSpec | CommandGroup): readonly (CommandSpec | CommandGroup)[] {
  const children = entry.commands ?? [];
  return entry === ANYGPT ? [...children, ...children.flatMap(({ commands }) => commands ?? [])] : children;
}

function allOptions(entry: CommandSpec | CommandGroup): readonly OptionSpec[] {
  return isGroup(entry) ? (entry === ANYGPT ? [] : COMMON_OPTIONS) : commandOptions(entry);
}

/** The names of an option: `-o` and `--output` for `-o, --output <file>`. */
function namesOf({ flags }: OptionSpec): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith("-"));
}

function nameOf(option: OptionSpec): string {
  return namesOf(option).at(-1) ?? option.flags;
}

function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes("<");
}
