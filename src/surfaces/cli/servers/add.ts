import { ERRORS } from "../../../errors.js";
import { readStandardInput } from "../../../operations/arguments/read-arguments.js";
import {
  carryOutAddition,
  planServers,
  type PlannedAddition,
  type ServerTrial,
  tryServers,
} from "../../../operations/servers/add.js";
import { type EditReport, openServerDesk } from "../../../operations/servers/desk.js";
import { isBalanced } from "../../../operations/servers/parse-snippet.js";
import { type AddPorts, readDrafts, toAdditionJson } from "../../../operations/servers/read-drafts.js";
import { bold, count, GOOD, line, type Line, verbatim, WARNING } from "../../../terminal/lines.js";
import { askLine, askPasted, canInterrupt, isConfirmed } from "../../../terminal/questions.js";
import { shortenHome } from "../../../util/home-path.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { waitForAsking } from "../session.js";
import { engineOptions } from "../trust-files.js";
import { editLines } from "./lines.js";

/** Shows the server, asks, writes the configuration, and connects once. */
export const addCommand: Handler = async (input, context) => {
  const desk = await openServerDesk(engineOptions(context), { isProject: input.flag("project") });
  const words = {
    name: input.text("name"),
    words: input.list("command"),
    env: input.list("env"),
    headers: input.list("header"),
    cwd: input.text("cwd"),
    transport: input.text("transport"),
    as: input.text("as"),
  };
  const { drafts, isPasted } = await readDrafts(words, desk, portsOf(context));
  const plan = await planServers(drafts, desk, { isReplacing: input.flag("replace") });
  const { home } = desk.place;
  if (!context.isJson) context.show(planLines(plan, home));
  if (plan.after === undefined) return refuseProgram(plan, context);
  if (!(await mayWrite(input, context, isPasted))) {
    context.show(["Nothing was written."]);
    return 1;
  }
  const report = await carryOutAddition(plan, desk);
  if (!context.isJson) context.show(writtenLines(plan, report, home));
  const checks = input.isOff("check")
    ? []
    : await waitForAsking(context, (asking) => tryServers(plan.servers, desk, asking), plan.servers.length);
  const data = { success: true, written: true, ...toAdditionJson(plan), ...report, checks };
  context.reply(data, () => checks.map(checkLine));
  return 0;
};

const PASTE = "Paste the JSON of one or more servers, then press Enter on an empty line:";

function portsOf(context: Context): AddPorts {
  const { env, signal, stdin } = context.io;
  const base: AddPorts = {
    env,
    signal,
    readInput: () => readStandardInput(stdin, signal),
    during: (name, work) => context.wait(work, () => `Searching the registry for ${name}…`),
  };
  if (!canInterrupt(context)) return base;
  return {
    ...base,
    askPasted: () => askPasted(PASTE, isBalanced, context),
    askArgument: (name, { word, example }) =>
      askLine(`${name} needs ${word}${example === undefined ? "" : ` (for example ${example})`}:`, context),
  };
}

/** Whether to write. Without a terminal, a definition that the user did not type requires `--yes`. */
async function mayWrite(input: Input, context: Context, isPasted: boolean): Promise<boolean> {
  if (input.flag("yes")) return true;
  if (canInterrupt(context)) return await isConfirmed("Write this to the configuration?", context);
  if (!isPasted) return true;
  throw invalidRequest(
    "Nothing was written, because there is no terminal to ask for a confirmation.",
    "Review what will run, then run the command again with --yes.",
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
  const hint = "Add the server to it yourself, or pass another file with --config.";
  if (context.isJson) {
    const error = { code: "CONFIGURATION_ERROR", message, hint };
    context.json({ success: false, written: false, ...toAdditionJson(plan), snippet: plan.snippet, error });
  } else {
    context.show([verbatim(0, plan.snippet)]);
    context.warn(`${message} ${hint}`);
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

function checkLine({ server, status, tools, reason }: ServerTrial): Line {
  if (status === "ok") return line(0, GOOD, " ", bold(server), ` answered with ${count(tools, "tool")}.`);
  const more = `The server stays in the configuration. Run \`anygpt mcp doctor ${server}\` to see more.`;
  return line(0, WARNING, " ", bold(server), ` did not answer: ${reason ?? ""} ${more}`);
}
