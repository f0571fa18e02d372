import { type Command, Help, type HelpConfiguration } from "commander";
import { nearestNames } from "../../search/nearest.js";
import { ARGUMENT_FORMS, type Topic, TOPICS } from "./topics.js";

const NARROWEST = 20;
/** A description with less room than this beside its term stands below it. */
const NARROWEST_BESIDE = 30;
const USAGE_INDENT = "Usage: ".length;

/** Help that wraps at spaces, however narrow the terminal. The examples stay whole, so that they can be copied. */
export function helpLayout(columns: number): HelpConfiguration {
  const width = Math.max(columns, NARROWEST);
  const help = new Help();
  help.minWidthToWrap = 1;
  const wrap = (text: string, indent: number): string =>
    help.boxWrap(text, width - indent).replaceAll("\n", `\n${" ".repeat(indent)}`);
  return {
    minWidthToWrap: help.minWidthToWrap,
    styleUsage: (usage) => wrap(usage, USAGE_INDENT),
    // In the order in which they are shown, not in which the parser has them.
    groupItems: (_, visible, groupName) => help.groupItems(visible, visible, groupName),
    subcommandTerm: (command) => command.name(),
    visibleCommands: (command) => shortForms(command) ?? help.visibleCommands(command),
    formatItem(term, termWidth, description) {
      const column = termWidth + 4;
      if (width - column < NARROWEST_BESIDE) return `  ${wrap(term, 4)}\n      ${wrap(description, 6)}`;
      return `  ${term.padEnd(termWidth)}  ${wrap(description, column)}`;
    },
  };
}

/** The program itself has the commands of its one group, which may be typed without the group's name. */
function shortForms(command: Command): Command[] | undefined {
  const group = command.parent === null ? groupOf(command) : undefined;
  return group && [...group.commands, group];
}

function groupOf(program: Command): Command | undefined {
  return program.commands.find((child) => child.name() !== "help");
}

/** `anygpt help`, `anygpt help list`, `anygpt help start`, `anygpt mcp help list`: the same as `--help` behind the words. */
export function addHelpCommand(group: Command, columns: number): void {
  const isTop = group.parent === null || group.parent.parent === null;
  group
    .command("help")
    .description(isTop ? `Show the help of a command or a topic: ${topicNames().join(", ")}.` : HELP)
    .argument("[command...]", isTop ? "words of the command, or a topic" : "words of the command")
    .helpOption(false)
    .helpGroup(isTop ? `${TOPICS.at(-1)?.heading ?? ""}:` : "")
    .action((words: readonly string[]) => {
      const page = isTop ? topicPage(words, group, columns) : undefined;
      if (page === undefined) startOf(group, words).help();
      else group.configureOutput().writeOut?.(page);
    });
}

const HELP = "Show the help of a command.";
const ARGUMENTS = "arguments";

function topicNames(): string[] {
  return [...TOPICS.map(({ name }) => name), ARGUMENTS];
}

function startOf(group: Command, words: readonly string[]): Command {
  const [first] = words;
  const inner = group.parent === null ? groupOf(group) : undefined;
  const isShort = inner !== undefined && first !== undefined && !group.commands.some((one) => one.name() === first);
  return words.reduce(childOf, isShort ? inner : group);
}

function topicPage(words: readonly string[], group: Command, columns: number): string | undefined {
  const [word, ...others] = words;
  if (others.length > 0) return undefined;
  if (word === ARGUMENTS) return argumentsPage(columns);
  const topic = TOPICS.find(({ name }) => name === word);
  if (topic === undefined) return undefined;
  const commands = shortForms(group) ?? group.commands;
  return renderTopic(
    topic,
    topic.commands.flatMap((name) => commands.find((command) => command.name() === name) ?? []),
    columns,
  );
}

function renderTopic({ heading, text, examples }: Topic, commands: readonly Command[], columns: number): string {
  return [
    `${heading}:`,
    "",
    new Help().boxWrap(text.join(" "), Math.max(columns, NARROWEST)),
    "",
    ...itemRows(
      commands.map((command) => [command.name(), command.description()]),
      columns,
    ),
    "",
    "Examples:",
    ...examples.map((example) => `  $ ${example}`),
    "",
  ].join("\n");
}

function argumentsPage(columns: number): string {
  const more = "Everything after the first = belongs to the value. Words after -- are never options.";
  return [
    "Arguments of `execute` and `run`:",
    "",
    ...itemRows(ARGUMENT_FORMS, columns),
    "",
    new Help().boxWrap(more, Math.max(columns, NARROWEST)),
    "",
  ].join("\n");
}

function itemRows(items: readonly (readonly [term: string, text: string])[], columns: number): string[] {
  const layout = helpLayout(columns);
  const width = Math.max(...items.map(([term]) => term.length));
  return items.map(([term, text]) => layout.formatItem?.(term, width, text, new Help()) ?? "");
}

function childOf(parent: Command, word: string): Command {
  const names = parent.commands.map((command) => command.name());
  const child = parent.commands.find((command) => command.name() === word);
  if (child !== undefined) return child;
  const [near] = nearestNames(word, names);
  const suggestion = near === undefined ? "" : `\n(Did you mean ${near}?)`;
  return parent.error(`unknown command '${word}'${suggestion}`, { code: "commander.unknownCommand" });
}
