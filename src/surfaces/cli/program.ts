import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { VERSION } from "../../version.js";
import { type CommandGroup, type CommandSpec, isGroup, type OptionSpec } from "./command.js";
import { addHelpCommand, exampleRows, helpLayout } from "./help.js";
import { COMMON_OPTIONS } from "./table.js";
import { topicOf, TOPICS } from "./topics.js";

export interface CommanderParts {
  readonly root: CommandGroup;
  readonly columns: number;
  /** Receives the text of `--help` and `--version`. */
  readonly write: (text: string) => void;
  /** Runs the parsed command; `values` contains its arguments and options by name. */
  readonly run: (spec: CommandSpec, values: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** Builds the commander parser. It writes only through `write` and never exits the process. */
export function createProgram({ root, columns, write, run }: CommanderParts): Command {
  const program = new Command(root.name);
  program
    .version(VERSION, "-V, --version", "print the version")
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp(helpLayout(columns))
    .configureOutput({
      writeOut: write,
      // Errors are thrown (`exitOverride`), so commander writes only the help of a group here.
      writeErr: write,
      outputError: () => undefined,
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  describe(program, root, columns);
  for (const entry of root.commands) add(program, entry, { run, columns });
  addHelpCommand(program, columns);
  return program;
}

function add(parent: Command, entry: CommandSpec | CommandGroup, parts: Pick<CommanderParts, "run" | "columns">): void {
  const command = parent.command(entry.name);
  const heading = parent.parent?.parent === null ? topicOf(entry.name)?.heading : undefined;
  if (heading !== undefined) command.helpGroup(`${heading}:`);
  describe(command, entry, parts.columns);
  if (isGroup(entry)) {
    for (const option of COMMON_OPTIONS) command.addOption(toOption(option));
    const children = parent.parent === null ? byTopic(entry.commands) : entry.commands;
    for (const child of children) add(command, child, parts);
    addHelpCommand(command, parts.columns);
    refuseJsonHelp(command);
    return;
  }
  for (const { syntax, summary, completes } of entry.arguments ?? []) {
    const argument = new Argument(syntax, summary);
    command.addArgument(Array.isArray(completes) ? argument.choices(completes) : argument);
  }
  for (const option of commandOptions(entry)) command.addOption(toOption(option));
  for (const child of entry.commands ?? []) add(command, child, parts);
  command.action(async () => await parts.run(entry, valuesOf(command)));
}

/** Sorts commands in the order of the topics; commands without a topic come last. */
function byTopic<Entry extends { readonly name: string }>(entries: readonly Entry[]): Entry[] {
  const order = TOPICS.flatMap(({ commands }) => commands);
  const positionOf = ({ name }: Entry): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return entries.toSorted((one, other) => positionOf(one) - positionOf(other));
}

/** A group without a subcommand prints its help. With `--json` that becomes an error, because help is not JSON. */
function refuseJsonHelp(group: Command): void {
  group.addHelpText("before", ({ error }) => {
    // Commander sets `error` if the help was not requested with `--help`.
    if (!error || group.optsWithGlobals()["json"] !== true) return "";
    const names = group.commands.map((command) => command.name()).filter((name) => name !== "help");
    return group.error(`missing command of '${group.name()}': ${names.join(", ")}`, {
      code: "commander.missingCommand",
    });
  });
}

/** The options of the command, then the common options. */
export function commandOptions(spec: CommandSpec): OptionSpec[] {
  const common = spec.isProtocol ? COMMON_OPTIONS.filter(({ flags }) => flags.startsWith("--config")) : COMMON_OPTIONS;
  return [...(spec.options ?? []), ...(spec.usesServers ? [NO_DAEMON] : []), ...common];
}

/** The executable reads this option before it loads this parser. */
const NO_DAEMON: OptionSpec = {
  flags: "--no-daemon",
  summary: "run in this process, without the background gateway (also: ANYGPT_DAEMON=0)",
};

function describe(command: Command, { summary, examples }: CommandSpec | CommandGroup, columns: number): void {
  command
    .description(summary)
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .addHelpText("after", `\nExamples:\n${exampleRows(examples, columns).join("\n")}`);
}

function toOption({ flags, summary, number, isRequired, isRepeated, completes }: OptionSpec): Option {
  const option = new Option(flags, summary).makeOptionMandatory(isRequired === true);
  if (Array.isArray(completes)) option.choices(completes);
  if (isRepeated === true) option.argParser((text, before: string[] | undefined) => [...(before ?? []), text]);
  return number === undefined ? option : option.argParser((text) => parseNumber(text, number));
}

function parseNumber(text: string, { min, max, integer }: NonNullable<OptionSpec["number"]>): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= min && value <= max && (!integer || Number.isInteger(value))) return value;
  throw new InvalidArgumentError(`Pass ${integer ? "an integer" : "a number"} from ${min} to ${max}.`);
}

/** The arguments and options by name, including options before the command's name, as in `anygpt mcp --json list`. */
function valuesOf(command: Command): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (let level: Command | null = command; level !== null; level = level.parent) {
    for (const [name, value] of Object.entries(level.opts())) {
      const isTyped = level.getOptionValueSource(name) !== "default";
      if (isTyped && !(name in values)) values[name] = value;
    }
  }
  for (const [index, argument] of command.registeredArguments.entries()) {
    const value: unknown = command.processedArgs[index];
    if (value !== undefined) values[argument.name()] = value;
  }
  return values;
}
