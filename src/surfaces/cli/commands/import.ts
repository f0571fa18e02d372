import { join } from "node:path";
import { placeFor } from "../../../open-engine.js";
import { ERRORS } from "../../../errors.js";
import type { ClientId } from "../../../sources/options.js";
import { ask, canInterrupt } from "../ask.js";
import { askSecretsPlace, secretsOption } from "../import/secrets-place.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { type Backups, createBackups } from "../../../operations/files/backups.js";
import { clientsOf } from "../import/clients.js";
import { type ImportPage, toImportPage } from "../import/page.js";
import { adviceLines, changeLines, foundLines, leftOutLines, undoneLines } from "../import/page-lines.js";
import { writeKeychain } from "../../../operations/import/keychain-secrets.js";
import { type Plan, planImport, type SecretsPlace } from "../../../operations/import/plan.js";
import { findTarget } from "../../../operations/files/target.js";
import { selectImport, type Undone, undoBackups } from "../../../operations/files/undo.js";
import { type Keychain, openKeychain } from "../../../secrets/keychain.js";
import { writeAll, type Written } from "../../../operations/files/write.js";
import { BLANK, blocks, line, verbatim, WARNING } from "../lines.js";
import { optionsOf } from "../trust-files.js";

export const importServers: Handler = async (input, context) => {
  const clients = clientsOf(input);
  if (input.flag("undo")) return await undo(clients, input, context);
  const { loadParts, ...place } = placeFor(optionsOf(context));
  const target = await findTarget(loadParts, { newName: "mcp-discovery.config.json" });
  const system = { platform: process.platform, home: place.home, cwd: place.cwd, env: context.io.env };
  const keychain = (): Keychain => openKeychain({ ...system, cwd: place.home });
  const planWith = (secrets: SecretsPlace): Promise<Plan> =>
    planImport({ place, system, target, clients, secrets, keychain });
  const wanted = secretsOption(input);
  const first = await planWith(wanted ?? "keep");
  const isAsked = wanted === undefined && isOpen(input, context) && first.copiedSecrets.length > 0;
  if (!context.isJson) context.show(foundLines(toImportPage(first), place.home));
  const chosen = isAsked ? await askSecretsPlace(first.copiedSecrets, keychain, context) : "keep";
  const plan = chosen === "keep" ? first : await planWith(chosen);
  const backups = createBackups(join(place.stateFolder, "backups"), place.now);
  if (plan.snippet !== undefined)
    return await showSnippet(plan, { snippet: plan.snippet, backups, input, context, keychain });
  const isRefused = plan.rewrites.some(({ status }) => status === "refused");
  const exit = isRefused ? ERRORS.CONFIGURATION_ERROR.exit : 0;
  if (!context.isJson) showPlanned(plan, place.home, context);
  if (plan.writes.length === 0 || !(await isToBeWritten(input, context))) {
    if (context.isJson) context.json(toImportPage(plan));
    else tellNothing(plan, input, context);
    return exit;
  }
  const written = await writePlan(plan, { backups, keychain, context });
  const page = toImportPage(plan, written);
  if (context.isJson) context.json(page);
  else {
    context.show([line(0, ""), ...changeLines({ ...page, rewrites: [] }, place.home)]);
    context.note(written.flatMap(({ failure }) => (failure?.hint === undefined ? [] : [line(0, failure.hint)])));
    const isAnyWritten = written.some(({ failure }) => failure === undefined);
    const what = plan.keychainEntries.size === 0 ? "everything" : "every file";
    if (isAnyWritten) context.show([line(0, ""), line(0, `\`anygpt mcp import --undo\` puts ${what} back.`)]);
  }
  const isFailed = written.some(({ failure }) => failure !== undefined);
  return isFailed ? ERRORS.CONFIGURATION_ERROR.exit : exit;
};

function showPlanned(plan: Plan, home: string, context: Context): void {
  const page = toImportPage(plan);
  const planned = blocks([changeLines(page, home), adviceLines(page, home)]);
  if (planned.length > 0) context.show([BLANK, ...planned]);
}

interface PlanWriting {
  readonly backups: Backups;
  readonly keychain: () => Keychain;
  readonly context: Context;
}

/** The keychain comes first: no file refers to an entry that is not there. */
async function writePlan(plan: Plan, { backups, keychain, context }: PlanWriting): Promise<Written[]> {
  const { keychainEntries: entries } = plan;
  if (entries.size > 0) await context.wait(writeKeychain(entries, keychain()), () => "Writing to the keychain…");
  return await writeAll(plan.writes, backups);
}

/** Somebody at a terminal is asked; everybody else has to say so. */
async function isToBeWritten(input: Input, context: Context): Promise<boolean> {
  if (input.flag("dryRun")) return false;
  if (input.flag("yes")) return true;
  return canInterrupt(context) && (await ask("Write these files?", context)) === "yes";
}

/** Whether the user decides while the command runs. */
function isOpen(input: Input, context: Context): boolean {
  return !input.flag("dryRun") && !input.flag("yes") && canInterrupt(context);
}

function tellNothing(plan: Plan, input: Input, context: Context): void {
  if (plan.writes.length === 0) {
    const { home } = placeFor(optionsOf(context));
    const left = leftOutLines(toImportPage(plan), home);
    const nothing =
      left.length === 0 ? "There is nothing to do: all that can be imported is in place." : "Nothing to write.";
    context.show([line(0, ""), line(0, nothing), ...left]);
    return;
  }
  const hint = input.flag("dryRun") || canInterrupt(context) ? "" : " Add --yes to write.";
  context.show([line(0, ""), line(0, `Nothing was written.${hint}`)]);
}

interface Snippet extends PlanWriting {
  readonly snippet: string;
  readonly input: Input;
}

/** A program is somebody's own text: it is shown what to add, with variables for secrets, and is not written. */
async function showSnippet(plan: Plan, { snippet, input, ...writing }: Snippet): Promise<number> {
  const { file } = plan.target;
  const { context } = writing;
  const { home } = placeFor(optionsOf(context));
  if (!context.isJson) {
    const planned = toImportPage(plan);
    context.show([BLANK, ...blocks([[verbatim(0, snippet)], changeLines(planned, home)])]);
  }
  const hasWork = plan.writes.length > 0 || plan.keychainEntries.size > 0;
  const isWritten = hasWork && (await isToBeWritten(input, context));
  const page = toImportPage(plan, isWritten ? await writePlan(plan, writing) : undefined);
  const message = `${file} is a program, which only you can change, so it was not written.`;
  const hint = `Add these servers to it, or name another file with --config.${secretsHint(page)}`;
  if (context.isJson) {
    context.json({ ...page, success: false, error: { code: "CONFIGURATION_ERROR", message, hint } });
  } else {
    if (isWritten) context.show([line(0, ""), ...changeLines(page, home)]);
    context.note([line(0, WARNING, ` ${message} ${hint}`)]);
  }
  return ERRORS.CONFIGURATION_ERROR.exit;
}

function secretsHint({ secrets: { moved, unset, keychain }, written, changes }: ImportPage): string {
  if (keychain.length > 0 && !written) return ` The keychain was not written: it lacks ${keychain.join(", ")}.`;
  if (unset.length > 0) {
    return ` Set ${unset.join(", ")} to the secrets of those files, or move them with \`--secrets keychain\` or \`--secrets env\`.`;
  }
  const isDone = written && changes.every(({ failure }) => failure === undefined);
  return moved.length === 0 || isDone ? "" : ` ~/.ai/.env was not written: it lacks ${moved.join(", ")}.`;
}

async function undo(clients: readonly ClientId[], input: Input, context: Context): Promise<number> {
  const { home, stateFolder, now } = placeFor(optionsOf(context));
  const backups = createBackups(join(stateFolder, "backups"), now);
  const selected = selectImport(await backups.list(), clients);
  const isForced = input.flag("force");
  const planned = await undoBackups(selected, backups, { isForced, isDryRun: true });
  const isWritten = selected.length > 0 && (await isUndoAgreed(planned, { input, context, home }));
  const undone = isWritten ? await undoBackups(selected, backups, { isForced, isDryRun: false }) : planned;
  const imports = (await backups.list()).filter(({ action }) => action === undefined);
  const earlier = new Set(imports.map(({ run }) => run)).size;
  if (context.isJson) context.json({ undone, written: isWritten, left: earlier });
  else if (selected.length === 0) context.show([line(0, "There is no import to undo.")]);
  else {
    if (isWritten) context.show(undoneLines(undone, false, home));
    else context.show([line(0, "Nothing was written. Add --yes to write.")]);
    const isRefused = undone.some(({ status }) => status === "refused");
    if (isRefused) {
      const advice = "With --force it is put back nevertheless, and what is in it now is kept beside the backups.";
      context.note([line(0, WARNING, ` ${advice}`)]);
    }
  }
  return undone.some(({ status }) => status === "refused") ? ERRORS.CONFIGURATION_ERROR.exit : 0;
}

async function isUndoAgreed(
  planned: readonly Undone[],
  { input, context, home }: { readonly input: Input; readonly context: Context; readonly home: string },
): Promise<boolean> {
  if (input.flag("yes") && !input.flag("dryRun")) return true;
  if (!context.isJson) context.show([line(0, "To be put back:"), ...undoneLines(planned, true, home)]);
  return await isToBeWritten(input, context);
}
