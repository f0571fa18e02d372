import { type Command, Help, type HelpConfiguration } from "commander";
import { nearestNames } from "../../search/nearest.js";

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
    formatItem(term, termWidth, description) {
      const column = termWidth + 4;
      if (width - column < NARROWEST_BESIDE) return `  ${wrap(term, 4)}\n      ${wrap(description, 6)}`;
      return `  ${term.padEnd(termWidth)}  ${wrap(description, column)}`;
    },
  };
}

/** `anygpt help`, `anygpt help mcp list`, `anygpt mcp help list`: the same as `--help` behind the words. */
export function addHelpCommand(group: Command): void {
  group
    .command("help")
    .description("Show the help of a command.")
    .argument("[command...]", "words of the command")
    .helpOption(false)
    .action((words: readonly string[]) => words.reduce(childOf, group).help());
}

function childOf(parent: Command, word: string): Command {
  const names = parent.commands.map((command) => command.name());
  const child = parent.commands.find((command) => command.name() === word);
  if (child !== undefined) return child;
  const [near] = nearestNames(word, names);
  const suggestion = near === undefined ? "" : `\n(Did you mean ${near}?)`;
  return parent.error(`unknown command '${word}'${suggestion}`, { code: "commander.unknownCommand" });
}
