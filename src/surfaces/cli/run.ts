// Entry point of the CLI: parses the command line, runs the command and reports its outcome.
import { CommanderError } from "commander";
import { configOption, DAEMON_COMMAND } from "../../daemon/commands.js";
import { lostDaemon } from "../../operations/background/lost-daemon.js";
import { type CommandGroup, type CommandSpec, createInput } from "./command.js";
import { type Context, createContext } from "./context.js";
import { invalidRequest } from "../../util/invalid-request.js";
import { toSentence } from "../../util/text.js";
import { reportFailure } from "./failure.js";
import type { CliIo } from "./io.js";
import { dim, line } from "../../terminal/lines.js";
import { takeUpdateNotice } from "../../operations/update/update-notice.js";
import { namesakes, plainUsage } from "./usage-words.js";
import { VERSION } from "../../version.js";
import { createProgram } from "./program.js";
import { nearestNames } from "../../search/nearest.js";
import { ANYGPT, COMMON_OPTIONS } from "./table.js";
import { watchOutput } from "../../util/watch-output.js";
import { joinKeyLine } from "../../toolfiles/keys/key-line.js";

export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const settle = watchOutput(io.stdout, io.stderr);
  return await settle(await runWords(joinKeyLine(withGroup(argv)), io));
}

/**
 * Runs a command line. Commands that begin with two underscores are internal: shell completion, and the process of the
 * background gateway.
 */
async function runWords(argv: readonly string[], io: CliIo): Promise<number> {
  if (argv[0] === "__complete") return await completeWords(argv.slice(1), io);
  if (argv[0] === DAEMON_COMMAND) return await runDaemon(argv.slice(1), io);
  return await runCommand(argv, io);
}

async function runDaemon(argv: readonly string[], io: CliIo): Promise<number> {
  const { hostDaemon } = await import("../../operations/background/host-daemon.js");
  await hostDaemon(configOption(argv), io, (words, remote, sharedEngine) => runCli(words, { ...remote, sharedEngine }));
  return 0;
}

/** Reports that the daemon ended while it ran this command line, in the format that the command line asks for. */
export function reportLostDaemon(argv: readonly string[], io: CliIo): number {
  return reportFailure(lostDaemon(), createContext(io, optionsBeforeParsing(argv)));
}

/** Adds the omitted `mcp`: `anygpt search …` becomes `anygpt mcp search …`. */
export function withGroup(argv: readonly string[]): readonly string[] {
  const [group] = ANYGPT.commands;
  const word = firstOperand(argv);
  if (group === undefined || word === undefined || word.startsWith("__")) return argv;
  const topLevel = [group.name, "help"];
  const inner = (group.commands ?? []).map(({ name }) => name);
  const known = [...topLevel, ...inner];
  const meant = known.includes(word) ? word : nearestNames(word, known)[0];
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
      exitCode = (await handler(createInput(values), context)) ?? 0;
      const isTextOutput = spec.isProtocol !== true && values["json"] !== true && values["quiet"] !== true;
      if (isTextOutput) await showUpdateNotice(context);
    },
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    return error instanceof CommanderError ? reportUsage(error, argv, context) : reportFailure(error, context);
  }
}

/** Shows that a newer version is available. Only if standard output and standard error are terminals. */
async function showUpdateNotice({ io, note }: Context): Promise<void> {
  if (!io.isTerminal.stderr || !io.isTerminal.stdout) return;
  const notice = await takeUpdateNotice({ env: io.env, cwd: io.cwd, version: VERSION, now: Date.now() });
  if (notice !== undefined) note([line(0, dim(notice))]);
}

/**
 * The options that decide the format of an error, read before commander parses the line because parsing itself can
 * fail.
 */
function optionsBeforeParsing(argv: readonly string[]) {
  const typed = new Set(argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv);
  return { isJson: typed.has("--json"), isVerbose: false, isColorless: typed.has("--no-color") };
}

/** Reports a usage error. Commander also throws after it has printed help or the version, which is no error. */
function reportUsage(error: CommanderError, argv: readonly string[], context: Context): number {
  if (error.code === "commander.help" || error.exitCode === 0) return 0;
  const [what = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const near = suggestion === undefined ? elsewhere(what) : `${suggestion.replace(/^\(|\)$/g, "")} `;
  const { words, entry } = findCommand(argv);
  const isUnknownOption = error.code === "commander.unknownOption";
  const more = isUnknownOption && "unknownOptionHint" in entry ? `${entry.unknownOptionHint} ` : "";
  const hint = `${near}${more}Run \`${[ANYGPT.name, ...words].join(" ")} --help\` to see its arguments and options.`;
  return reportFailure(invalidRequest(toSentence(plainUsage(what)), hint), context);
}

/** Suggests commands of other groups that have the unknown word as their name. */
function elsewhere(complaint: string): string {
  const [, word] = /^unknown command '(.*)'/.exec(complaint) ?? [];
  const known = word === undefined ? [] : namesakes(word, ANYGPT).slice(0, MOST_NAMESAKES);
  return known.length === 0 ? "" : `Did you mean ${known.map((command) => `\`${command}\``).join(" or ")}? `;
}

const MOST_NAMESAKES = 3;

/** The leading words of the line that name a command or group, and the last of these commands. */
function findCommand(argv: readonly string[]) {
  const words: string[] = [];
  let entry: CommandSpec | CommandGroup = ANYGPT;
  for (const word of argv.filter((one) => !one.startsWith("-"))) {
    const children: readonly (CommandSpec | CommandGroup)[] = entry.commands ?? [];
    const child = children.find(({ name }) => name === word);
    if (child === undefined) break;
    words.push(word);
    entry = child;
  }
  return { words, entry };
}

async function completeWords(argv: readonly string[], io: CliIo): Promise<number> {
  const { completeWords } = await import("./complete.js");
  const candidates = await completeWords(argv[0] === "--" ? argv.slice(1) : argv, io);
  io.stdout.write(candidates.map((candidate) => `${candidate}\n`).join(""));
  return 0;
}
