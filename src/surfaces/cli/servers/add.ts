import { DiscoveryError, ERRORS } from "../../../errors.js";
import {
  carryOutAddition,
  planServers,
  type PlannedAddition,
  type AddRequest,
  type ServerTrial,
  tryServers,
} from "../../../operations/servers/add.js";
import { type EditReport, openServerDesk, type ServerDesk } from "../../../operations/servers/desk.js";
import { toDraft } from "../../../operations/servers/draft.js";
import { findPublicServer } from "../../../operations/servers/public-server.js";
import { isBalanced, isSnippet, parseSnippet } from "../../../operations/servers/parse-snippet.js";
import type { Placeholder } from "../../../directory/draft-arguments.js";
import type { RuntimeEnvironment } from "../../../gateway/runtime-environment.js";
import { shortenHome } from "../../../util/home-path.js";
import { readStandardInput } from "../../../operations/arguments/read-arguments.js";
import { askLine, askPasted, canInterrupt, isConfirmed } from "../../../terminal/questions.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { bold, count, GOOD, line, type Line, verbatim, WARNING } from "../../../terminal/lines.js";
import { waitForAsking } from "../session.js";
import { engineOptions } from "../trust-files.js";
import { editLines } from "./lines.js";

export const addCommand: Handler = async (input, context) => {
  const desk = await openServerDesk(engineOptions(context), { isProject: input.flag("project") });
  const { drafts, isPasted } = await draftsFrom(input, desk, context);
  return await runAddition(drafts, { desk, input, context, needsYes: isPasted });
};

export interface Addition {
  readonly desk: ServerDesk;
  readonly input: Input;
  readonly context: Context;
  /** The definition was not typed by the user (pasted JSON or a public server), so without a terminal it needs `--yes`. */
  readonly needsYes: boolean;
}

/** Shows the server, asks, writes the configuration, and connects once. */
export async function runAddition(drafts: readonly AddRequest[], parts: Addition): Promise<number> {
  const { desk, input, context } = parts;
  const plan = await planServers(drafts, desk, { isReplacing: input.flag("replace") });
  const { home } = desk.place;
  if (!context.isJson) context.show(planLines(plan, home));
  if (plan.after === undefined) return refuseProgram(plan, context);
  if (!(await isAgreed(parts))) {
    context.show([line(0, "Nothing was written.")]);
    return 1;
  }
  const report = await carryOutAddition(plan, desk);
  if (!context.isJson) context.show(writtenLines(plan, report, home));
  const checks = input.isOff("check")
    ? []
    : await waitForAsking(context, (asking) => tryServers(plan.servers, desk, asking), plan.servers.length);
  context.reply({ success: true, written: true, ...pageOf(plan), ...report, checks }, () => checks.map(checkLine));
  return 0;
}

const PASTE = "Paste the JSON of one or more servers, then press Enter on an empty line:";

interface Given {
  readonly drafts: readonly AddRequest[];
  readonly isPasted: boolean;
}

async function draftsFrom(input: Input, { place, target }: ServerDesk, context: Context): Promise<Given> {
  const [name, words] = [input.text("name"), input.list("command")];
  const { cwd, home } = place;
  const system = { platform: process.platform, home, cwd, env: context.io.env };
  const [first] = words;
  const pasted = async (text: string, given?: string): Promise<Given> => {
    const whole = text === "-" ? await readStandardInput(context.io.stdin, context.io.signal) : text;
    return { drafts: parseSnippet(whole, given, system), isPasted: true };
  };
  if (name === undefined) {
    if (!canInterrupt(context)) throw nothingGiven();
    return await pasted(await askPasted(PASTE, isBalanced, context));
  }
  if (first === undefined && (name === "-" || isSnippet(name))) return await pasted(name);
  if (first === undefined) return { drafts: [await publicServer(name, input, place, context)], isPasted: true };
  if (words.length === 1 && (first === "-" || isSnippet(first))) return await pasted(first, name);
  if (input.text("as") !== undefined) throw asNeedsNothing(name);
  const typed = {
    name,
    words,
    env: input.list("env"),
    headers: input.list("header"),
    cwd: input.text("cwd"),
    transport: input.text("transport"),
  };
  return { drafts: [toDraft(typed, { home, cwd, startDir: target.isProject ? cwd : home })], isPasted: false };
}

function nothingGiven(): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "No command, URL or JSON of a server was passed.", {
    hint: "Write `anygpt mcp add NAME -- COMMAND …`, `anygpt mcp add NAME https://…`, or paste JSON.",
  });
}

function asNeedsNothing(name: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "--as can only be used with a public server.", {
    hint: `"${name}" is already the name. Omit --as.`,
  });
}

/** Adds a server from the directory of public servers. */
async function publicServer(
  name: string,
  input: Input,
  place: RuntimeEnvironment,
  context: Context,
): Promise<AddRequest> {
  const stray = ["header", "cwd", "transport"].find((option) => input.list(option).length > 0);
  if (stray !== undefined) {
    throw new DiscoveryError("INVALID_REQUEST", `--${stray} was passed, but no command or URL of ${name}.`, {
      hint: `Write \`anygpt mcp add ${name} -- COMMAND …\` or \`anygpt mcp add ${name} https://…\`.`,
    });
  }
  const askArgument = async ({ word, example }: Placeholder): Promise<string | undefined> =>
    await askLine(`${name} needs ${word}${example === undefined ? "" : ` (for example ${example})`}:`, context);
  const parts = {
    place,
    signal: context.io.signal,
    as: input.text("as"),
    env: input.list("env"),
    ...(canInterrupt(context) ? { askArgument } : {}),
  };
  return await context.wait(findPublicServer(name, parts), () => `Searching the registry for ${name}…`);
}

async function isAgreed({ input, context, needsYes }: Addition): Promise<boolean> {
  if (input.flag("yes")) return true;
  if (canInterrupt(context)) return await isConfirmed("Write this to the configuration?", context);
  if (!needsYes) return true;
  throw new DiscoveryError(
    "INVALID_REQUEST",
    "Nothing was written, because there is no terminal to ask for a confirmation.",
    {
      hint: "Review what will run, then run the command again with --yes.",
    },
  );
}

function planLines({ servers, file }: PlannedAddition, home: string): Line[] {
  return servers.flatMap(({ effect, isReplacement, secrets, notes }) => [
    line(0, effect),
    ...(isReplacement ? [line(2, `It replaces the server of the same name in ${shortenHome(file, home)}.`)] : []),
    ...secrets.map(({ where, variable }) => {
      const text = `${where} looks like a secret and is stored in plain text. Write \${${variable}} instead and set ${variable}`;
      return line(2, WARNING, ` ${text} in the environment or in ~/.ai/.env.`);
    }),
    ...notes.map((note) => line(2, note)),
  ]);
}

function refuseProgram(plan: PlannedAddition, context: Context): number {
  const message = `${plan.file} is a program, so it was not changed.`;
  const hint = "Add this to it yourself, or pass another file with --config.";
  if (context.isJson) {
    const error = { code: "CONFIGURATION_ERROR", message, hint };
    context.json({ success: false, written: false, ...pageOf(plan), snippet: plan.snippet, error });
  } else {
    context.show([verbatim(0, plan.snippet)]);
    context.note([line(0, WARNING, ` ${message} ${hint}`)]);
  }
  return ERRORS.CONFIGURATION_ERROR.exit;
}

function writtenLines({ servers, file, notes }: PlannedAddition, report: EditReport, home: string): Line[] {
  return [
    ...servers.map(({ name }) => line(0, GOOD, " ", bold(name), ` was added to ${shortenHome(file, home)}.`)),
    ...notes.map((note) => line(2, note)),
    ...editLines(report, home),
  ];
}

/** The change to the file as JSON, without entries, because they may contain secrets. */
function pageOf({ file, servers }: PlannedAddition) {
  const listed = servers.map(({ name, effect, isReplacement, secrets, notes }) => ({
    name,
    effect,
    isReplacement,
    secrets: secrets.map(({ where }) => where),
    notes,
  }));
  return { file, servers: listed };
}

function checkLine({ server, status, tools, reason }: ServerTrial): Line {
  if (status === "ok") return line(0, GOOD, " ", bold(server), ` answered with ${count(tools, "tool")}.`);
  const more = `It stays in the configuration. Run \`anygpt mcp doctor ${server}\` to see more.`;
  return line(0, WARNING, " ", bold(server), ` did not answer: ${reason ?? ""} ${more}`);
}
