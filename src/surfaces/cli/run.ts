// Words of a command line come in; text, JSON and an exit code go out. It translates: every decision is the engine's.
import { CommanderError } from "commander";
import { DiscoveryError } from "../../errors.js";
import { type CommandGroup, type CommandSpec, createInput } from "./command.js";
import { type Context, createContext } from "./context.js";
import { reportFailure, toSentence } from "./failure.js";
import type { CliIo } from "./io.js";
import { createProgram } from "./program.js";
import { nearestNames } from "../../search/nearest.js";
import { ANYGPT, COMMON_OPTIONS } from "./table.js";

export async function runCli(typed: readonly string[], io: CliIo): Promise<number> {
  const argv = withGroup(typed);
  let unwritten: NodeJS.ErrnoException | undefined;
  io.stdout.on("error", (error) => (unwritten = error));
  const exitCode = argv[0] === "__complete" ? await completeWords(argv.slice(1), io) : await runCommand(argv, io);
  await new Promise((resolve) => setImmediate(resolve));
  // `anygpt … | head` has read enough; that is no failure of ours.
  if (unwritten === undefined || unwritten.code === "EPIPE") return exitCode;
  io.stderr.write(`The output could not be written (${unwritten.code ?? unwritten.message}).\n`);
  return OUTPUT_LOST;
}

const OUTPUT_LOST = 3;

/** `anygpt search …` is `anygpt mcp search …`. */
export function withGroup(argv: readonly string[]): readonly string[] {
  const [group] = ANYGPT.commands;
  const word = firstOperand(argv);
  if (group === undefined || word === undefined) return argv;
  const own = [group.name, "help", "__complete"];
  const inner = (group.commands ?? []).map(({ name }) => name);
  const meant = [...own, ...inner].includes(word) ? word : nearestNames(word, [...own, ...inner])[0];
  return meant !== undefined && inner.includes(meant) ? [group.name, ...argv] : argv;
}

/** The first word that is neither an option nor the value of one. */
function firstOperand(argv: readonly string[]): string | undefined {
  const valued = COMMON_OPTIONS.filter(({ flags }) => flags.includes("<")).map(({ flags }) => flags.split(" ")[0]);
  return argv.find((word, index) => !word.startsWith("-") && !valued.includes(argv[index - 1] ?? ""));
}

async function runCommand(argv: readonly string[], io: CliIo): Promise<number> {
  let context = createContext(io, optionsBeforeParsing(argv));
  let exitCode = 0;
  const program = createProgram({
    root: ANYGPT,
    columns: io.columns,
    write: (text) => void io.stdout.write(text),
    async run(spec, values) {
      context = createContext(io, {
        isJson: values["json"] === true,
        isVerbose: values["verbose"] === true,
        isColorless: values["color"] === false,
        isQuiet: values["quiet"] === true,
        configPath: typeof values["config"] === "string" ? values["config"] : undefined,
      });
      const handler = await spec.load();
      exitCode = await handler(createInput(values), context);
    },
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    return error instanceof CommanderError ? reportUsage(error, argv, context) : reportFailure(error, context);
  }
}

/** Of a line that cannot be parsed, what decides the form of the complaint. */
function optionsBeforeParsing(argv: readonly string[]) {
  const typed = new Set(argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv);
  return { isJson: typed.has("--json"), isVerbose: false, isColorless: typed.has("--no-color") };
}

/** `anygpt` and `anygpt mcp` alone, `--help` and `--version` have been answered: that is no error. */
function reportUsage(error: CommanderError, argv: readonly string[], context: Context): number {
  if (error.code === "commander.help" || error.exitCode === 0) return 0;
  const [what = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const near = suggestion === undefined ? "" : `${suggestion.replace(/^\(|\)$/g, "")} `;
  const hint = `${near}Run \`${[ANYGPT.name, ...commandWords(argv)].join(" ")} --help\` to see what it takes.`;
  return reportFailure(new DiscoveryError("INVALID_REQUEST", toSentence(what), { hint }), context);
}

/** The leading words that name a command. */
function commandWords(argv: readonly string[]): string[] {
  const words: string[] = [];
  let entries: readonly (CommandSpec | CommandGroup)[] = ANYGPT.commands;
  for (const word of argv.filter((word) => !word.startsWith("-"))) {
    const entry = entries.find(({ name }) => name === word);
    if (entry === undefined) break;
    words.push(word);
    entries = entry.commands ?? [];
  }
  return words;
}

async function completeWords(argv: readonly string[], io: CliIo): Promise<number> {
  const { complete } = await import("./complete.js");
  const candidates = await complete(argv[0] === "--" ? argv.slice(1) : argv, io);
  io.stdout.write(candidates.map((candidate) => `${candidate}\n`).join(""));
  return 0;
}
