import { type Command, Help, type HelpConfiguration } from "commander";
import { nearestNames } from "../../search/nearest.js";
import { wrapCommand } from "../../terminal/wrap-command.js";
import { ARGUMENT_FORMS, type Topic, TOPICS } from "./topics.js";

const NARROWEST = 20;
/** A description that would get fewer columns than this next to its term is printed below the term. */
const NARROWEST_DESCRIPTION = 30;
const USAGE_INDENT = "Usage: ".length;

/** Help layout that wraps at spaces at any terminal width. */
export function helpLayout(columns: number): HelpConfiguration {
  const width = Math.max(columns, NARROWEST);
  const help = new Help();
  help.minWidthToWrap = 1;
  const wrap = (text: string, indent: number): string =>
    help.boxWrap(text, width - indent).replaceAll("\n", `\n${" ".repeat(indent)}`);
  return {
    minWidthToWrap: help.minWidthToWrap,
    styleUsage: (usage) => wrap(usage, USAGE_INDENT),
    // Order the groups by the displayed commands instead of by the declared commands.
    groupItems: (_, visible, groupName) => help.groupItems(visible, visible, groupName),
    subcommandTerm: (command) => command.name(),
    visibleCommands: (command) => shortForms(command) ?? help.visibleCommands(command),
    formatItem(term, termWidth, description) {
      const column = termWidth + 4;
      if (width - column < NARROWEST_DESCRIPTION) return `  ${wrap(term, 4)}\n      ${wrap(description, 6)}`;
      return `  ${term.padEnd(termWidth)}  ${wrap(description, column)}`;
    },
  };
}

/** Examples, wrapped with backslashes so that they can be copied into a shell. */
export function exampleRows(examples: readonly string[], columns: number): string[] {
  return examples.map((example) => `  $ ${wrapCommand(example, Math.max(columns, NARROWEST) - 4, " ".repeat(6))}`);
}

/** The help of `anygpt` lists the commands of `anygpt mcp`, because they can be typed without `mcp`. */
function shortForms(command: Command): Command[] | undefined {
  const group = command.parent === null ? groupOf(command) : undefined;
  return group && [...group.commands, group];
}

function groupOf(program: Command): Command | undefined {
  return program.commands.find((child) => child.name() !== "help");
}

/**
 * `anygpt help list` and `anygpt mcp help list` print the same as `anygpt list --help`; `anygpt help start` prints a
 * topic.
 */
export function addHelpCommand(group: Command, columns: number): void {
  const isTop = group.parent === null || group.parent.parent === null;
  group
    .command("help")
    .description(isTop ? `Show help for a command or a topic: ${topicNames().join(", ")}.` : HELP)
    .argument("[command...]", isTop ? "a command or a topic" : "a command")
    .helpOption(false)
    .helpGroup(isTop ? `${TOPICS.at(-1)?.heading ?? ""}:` : "")
    .action((words: readonly string[]) => {
      const page = isTop ? topicPage(words, group, columns) : undefined;
      if (page === undefined) startOf(group, words).help();
      else group.configureOutput().writeOut?.(page);
    });
}

const HELP = "Show help for a command.";
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
    ...exampleRows(examples, columns),
    "",
  ].join("\n");
}

function argumentsPage(columns: number): string {
  const more = "Everything after the first = is the value. Words after -- are never read as options.";
  return [
    "How to write arguments for `execute` and `run`:",
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
