import { ERRORS } from "../../../errors.js";
import { type PreparedImport, prepareImport, undoImport } from "../../../operations/import/import-servers.js";
import type { ImportPlan, PlannedSecret, SecretsPlace } from "../../../operations/import/plan.js";
import { type ImportPage, toImportPage } from "../../../operations/import/report.js";
import type { FileWrite } from "../../../operations/files/write.js";
import type { ClientId } from "../../../sources/options.js";
import { homeOf } from "../../../util/state-folder.js";
import { askLine, canInterrupt, isAgreed } from "../../../terminal/questions.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { hintLines } from "../failure.js";
import { toClients } from "../../../operations/import/named-clients.js";
import { adviceLines, changeLines, foundLines, leftOutLines, undoneLines } from "../import/import-lines.js";
import { toProgramFailure } from "../../../operations/import/program-failure.js";
import { availablePlaces, toSecretsPlace } from "../../../operations/import/secrets-places.js";
import { BLANK, blocks, bold, count, line, verbatim } from "../../../terminal/lines.js";
import { engineOptions } from "../trust-files.js";
import type { Keychain } from "../../../secrets/keychain.js";

export const importCommand: Handler = async (input, context) => {
  const clients = toClients(input.list("client"));
  if (input.flag("undo")) return await undo(clients, input, context);
  const prepared = await prepareImport(engineOptions(context), clients);
  const { home } = prepared;
  const plan = await choosePlan(prepared, input, context);
  if (plan.snippet !== undefined) return await showSnippet(plan.snippet, plan, { prepared, input, context });
  const isRefused = plan.rewrites.some(({ status }) => status === "refused");
  const exit = isRefused ? ERRORS.CONFIGURATION_ERROR.exit : 0;
  const planned = toImportPage(plan);
  const lines = blocks([changeLines(planned, home), adviceLines(planned, home)]);
  if (!context.isJson && lines.length > 0) context.show([BLANK, ...lines]);
  if (plan.writes.length === 0 || !(await isToBeWritten(input, context))) {
    context.reply(planned, () => nothingLines(planned, input, context));
    return exit;
  }
  const written = await write(plan, prepared, context);
  const page = toImportPage(plan, written);
  const isFailed = written.some(({ failure }) => failure !== undefined);
  context.reply(page, () => [BLANK, ...changeLines({ ...page, rewrites: [] }, home)]);
  if (!context.isJson) {
    context.note(written.flatMap(({ failure }) => (failure === undefined ? [] : hintLines(failure, 0))));
    const isAnyWritten = written.some(({ failure }) => failure === undefined);
    const what = plan.keychainEntries.size === 0 ? "everything" : "every file";
    if (isAnyWritten) context.show([BLANK, `\`anygpt mcp import --undo\` restores ${what}.`]);
  }
  return isFailed ? ERRORS.CONFIGURATION_ERROR.exit : exit;
};

/** Shows the servers found, and asks where to store secrets unless `--secrets` or `--yes` decides it. */
async function choosePlan(
  { plan, keychain, home }: PreparedImport,
  input: Input,
  context: Context,
): Promise<ImportPlan> {
  const wanted = toSecretsPlace(input.text("secrets"));
  const first = await plan(wanted ?? "keep");
  const isOpen = wanted === undefined && !input.flag("dryRun") && !input.flag("yes") && canInterrupt(context);
  if (!context.isJson) context.show(foundLines(toImportPage(first), home));
  if (!isOpen || first.copiedSecrets.length === 0) return first;
  const chosen = await askSecretsPlace(first.copiedSecrets, keychain, context);
  return chosen === "keep" ? first : await plan(chosen);
}

async function write(plan: ImportPlan, prepared: PreparedImport, context: Context): Promise<FileWrite[]> {
  const work = prepared.write(plan, context.io.signal);
  return plan.keychainEntries.size === 0 ? await work : await context.wait(work, () => "Writing to the keychain…");
}

/** Whether to write: asks a user at a terminal; without a terminal, `--yes` is required. */
async function isToBeWritten(input: Input, context: Context): Promise<boolean> {
  return !input.flag("dryRun") && (await isAgreed("Write these files?", input.flag("yes"), context));
}

function nothingLines(page: ImportPage, input: Input, context: Context) {
  if (page.changes.length === 0) {
    const left = leftOutLines(page, homeOf(context.io.env));
    const nothing =
      left.length === 0 ? "Nothing to import: your configuration already has all servers." : "Nothing to write.";
    return [BLANK, line(0, nothing), ...left];
  }
  const hint = input.flag("dryRun") || canInterrupt(context) ? "" : " Add --yes to write.";
  return [BLANK, `Nothing was written.${hint}`];
}

interface SnippetParts {
  readonly prepared: PreparedImport;
  readonly input: Input;
  readonly context: Context;
}

/** For a configuration that is a program: shows what the user has to add to it, with variables in place of secrets. */
async function showSnippet(snippet: string, plan: ImportPlan, { prepared, input, context }: SnippetParts) {
  const { home } = prepared;
  if (!context.isJson)
    context.show([BLANK, ...blocks([[verbatim(0, snippet)], changeLines(toImportPage(plan), home)])]);
  const hasWork = plan.writes.length > 0 || plan.keychainEntries.size > 0;
  const isWritten = hasWork && (await isToBeWritten(input, context));
  const page = toImportPage(plan, isWritten ? await write(plan, prepared, context) : undefined);
  const { code, message, hint } = toProgramFailure(plan.target.file, page);
  if (context.isJson) {
    context.json({ ...page, success: false, error: { code, message, hint } });
  } else {
    if (isWritten) context.show([BLANK, ...changeLines(page, home)]);
    context.warn(`${message} ${hint}`);
  }
  return ERRORS.CONFIGURATION_ERROR.exit;
}

async function undo(clients: readonly ClientId[], input: Input, context: Context): Promise<number> {
  const home = homeOf(context.io.env);
  const undoing = { clients, force: input.flag("force") };
  const planned = await undoImport(engineOptions(context), { ...undoing, dryRun: true });
  const isAny = planned.undone.length > 0;
  const isForced = input.flag("yes") && !input.flag("dryRun");
  if (isAny && !isForced && !context.isJson)
    context.show(["Files to restore:", ...undoneLines(planned.undone, true, home)]);
  const isWritten = isAny && (isForced || (await isToBeWritten(input, context)));
  const { undone, left } = isWritten ? await undoImport(engineOptions(context), undoing) : planned;
  const isRefused = undone.some(({ status }) => status === "refused");
  context.reply({ undone, written: isWritten, left }, () => {
    if (!isAny) return ["There is no import to undo."];
    return isWritten ? undoneLines(undone, false, home) : ["Nothing was written. Add --yes to write."];
  });
  if (isRefused && !context.isJson)
    context.warn("--force restores the file anyway and saves its current content with the backups.");
  return isRefused ? ERRORS.CONFIGURATION_ERROR.exit : 0;
}

const MEANINGS: Readonly<Record<SecretsPlace, string>> = {
  keychain: "store them in the system keychain; the configuration refers to them as ${keychain:NAME}",
  env: "move them into ~/.ai/.env, which only you can read",
  keep: "copy them into the configuration in plain text",
};

/**
 * Asks where to store secrets. Enter selects the first place. If the input ends without an answer, secrets are kept.
 */
async function askSecretsPlace(
  secrets: readonly PlannedSecret[],
  keychain: () => Keychain,
  context: Context,
): Promise<SecretsPlace> {
  const offered = await context.wait(availablePlaces(keychain), () => "Checking the keychain…");
  const names = [...new Set(secrets.map(({ server, where }) => `${server} ${where}`))];
  context.note([
    BLANK,
    line(0, bold(`${count(names.length, "secret")} in plain text`), ":"),
    ...names.map((name) => line(2, name)),
    "Where should the secrets be stored?",
    ...offered.map((place) => line(2, bold(place), `: ${MEANINGS[place]}`)),
  ]);
  const question = `${offered.join(", ")}? [${offered[0]}]`;
  for (;;) {
    const answer = (await askLine(question, context))?.trim().toLowerCase();
    if (answer === undefined) return "keep";
    const chosen = answer === "" ? offered[0] : offered.find((place) => place === answer);
    if (chosen !== undefined) return chosen;
  }
}
