import { DiscoveryError, ERRORS } from "../../../errors.js";
import {
  carryOutAddition,
  planServers,
  type PlannedAddition,
  type ServerDraft,
} from "../../../operations/servers/add.js";
import { type EditReport, openServerDesk, type ServerDesk } from "../../../operations/servers/desk.js";
import { toDraft } from "../../../operations/servers/draft.js";
import { findPublicServer } from "../../../operations/servers/public-server.js";
import { isSnippet, parseSnippet } from "../../../operations/servers/parse-snippet.js";
import type { Place } from "../../../place.js";
import { shortenHome } from "../../../util/home-path.js";
import { readAll } from "../arguments.js";
import { ask, canInterrupt } from "../ask.js";
import { askServers } from "../ask-servers.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { reasonOf } from "../failure.js";
import { bold, count, GOOD, line, type Line, verbatim, WARNING } from "../lines.js";
import { openCatalog, useEngine } from "../session.js";
import { optionsOf } from "../trust-files.js";
import { askPasted } from "./ask-pasted.js";
import { editLines } from "./lines.js";

export const addServer: Handler = async (input, context) => {
  const desk = await openServerDesk(optionsOf(context), { isProject: input.flag("project") });
  const { drafts, isPasted } = await draftsFrom(input, desk, context);
  return await runAddition(drafts, { desk, input, context, needsYes: isPasted });
};

export interface Addition {
  readonly desk: ServerDesk;
  readonly input: Input;
  readonly context: Context;
  /** The user did not type every word of it: without a terminal it takes `--yes`. */
  readonly needsYes: boolean;
}

/** Shows what will run, asks, writes, and connects once. */
export async function runAddition(drafts: readonly ServerDraft[], parts: Addition): Promise<number> {
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
  const checks = input.isOff("check") ? [] : await check(plan, desk, context);
  if (context.isJson) context.json({ success: true, written: true, ...pageOf(plan), ...report, checks });
  else context.show(checks.map(checkLine));
  return 0;
}

interface Given {
  readonly drafts: readonly ServerDraft[];
  readonly isPasted: boolean;
}

async function draftsFrom(input: Input, { place, target }: ServerDesk, context: Context): Promise<Given> {
  const [name, words] = [input.text("name"), input.list("command")];
  const { cwd, home } = place;
  const system = { platform: process.platform, home, cwd, env: context.io.env };
  const [first] = words;
  const pasted = async (text: string, given?: string): Promise<Given> => {
    const whole = text === "-" ? await readAll(context.io.stdin, context.io.signal) : text;
    return { drafts: parseSnippet(whole, given, system), isPasted: true };
  };
  if (name === undefined) {
    if (!canInterrupt(context)) throw nothingGiven();
    return await pasted(await askPasted(context));
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
  return new DiscoveryError("INVALID_REQUEST", "No command, address or JSON of a server was given.", {
    hint: "Write `anygpt mcp add NAME -- COMMAND …`, `anygpt mcp add NAME https://…`, or paste JSON.",
  });
}

function asNeedsNothing(name: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "--as is for a server of the directory of public servers.", {
    hint: `"${name}" is the name already: leave --as out.`,
  });
}

/** An entry of the directory of public servers. */
async function publicServer(name: string, input: Input, place: Place, context: Context): Promise<ServerDraft> {
  const stray = ["header", "cwd", "transport"].find((option) => input.list(option).length > 0);
  if (stray !== undefined) {
    throw new DiscoveryError("INVALID_REQUEST", `--${stray} was given, but no command or address of ${name}.`, {
      hint: `Write \`anygpt mcp add ${name} -- COMMAND …\` or \`anygpt mcp add ${name} https://…\`.`,
    });
  }
  const parts = { place, signal: context.io.signal, as: input.text("as"), env: input.list("env") };
  return await context.wait(findPublicServer(name, parts), () => `Asking the registry about ${name}…`);
}

async function isAgreed({ input, context, needsYes }: Addition): Promise<boolean> {
  if (input.flag("yes")) return true;
  if (canInterrupt(context)) return (await ask("Write this?", context)) === "yes";
  if (!needsYes) return true;
  throw new DiscoveryError("INVALID_REQUEST", "Nothing was written, because nobody could be asked.", {
    hint: "Review what will run, then run the command again with --yes.",
  });
}

function planLines({ servers, file }: PlannedAddition, home: string): Line[] {
  return servers.flatMap(({ effect, isReplacement, secrets, notes }) => [
    line(0, effect),
    ...(isReplacement ? [line(2, `It replaces the one in ${shortenHome(file, home)}.`)] : []),
    ...secrets.map(({ where, variable }) => {
      const text = `${where} looks like a secret and is stored as it is. Write \${${variable}} instead and set ${variable}`;
      return line(2, WARNING, ` ${text} in the environment or in ~/.ai/.env.`);
    }),
    ...notes.map((note) => line(2, note)),
  ]);
}

function refuseProgram(plan: PlannedAddition, context: Context): number {
  const message = `${plan.file} is a program, which only you can change, so it was not written.`;
  const hint = "Add this to it, or name another file with --config.";
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
    ...servers.map(({ name }) => line(0, GOOD, " ", bold(name), ` is written to ${shortenHome(file, home)}.`)),
    ...notes.map((note) => line(2, note)),
    ...editLines(report, home),
  ];
}

/** What becomes of the file; of an entry nothing that may be secret. */
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

interface Checked {
  readonly server: string;
  readonly status: "ok" | "failed";
  readonly tools: number;
  readonly reason?: string;
}

/** Connects to each new server once. One that fails stays in the configuration. */
async function check({ servers }: PlannedAddition, { target }: ServerDesk, context: Context): Promise<Checked[]> {
  const used = servers.filter(({ entry }) => entry["enabled"] !== false).map(({ name }) => name);
  const where = target.overriddenBy === undefined ? context : { ...context, configPath: target.file };
  return await useEngine(where, async (engine) => {
    const stages = await openCatalog(engine);
    const known = used.filter((name) => stages.snapshot().servers.has(name));
    const asked = await askServers(known, stages, context);
    return asked.map(({ name, failure }): Checked => {
      const tools = stages.snapshot().servers.get(name)?.tools.length ?? 0;
      if (failure === undefined) return { server: name, status: "ok", tools };
      return { server: name, status: "failed", tools, reason: reasonOf(failure) };
    });
  });
}

function checkLine({ server, status, tools, reason }: Checked): Line {
  if (status === "ok") return line(0, GOOD, " ", bold(server), ` answered with ${count(tools, "tool")}.`);
  const more = `It stays in the configuration; \`anygpt mcp doctor ${server}\` shows more.`;
  return line(0, WARNING, " ", bold(server), ` did not answer: ${reason ?? ""} ${more}`);
}
