import { join } from "node:path";
import { placeFor } from "../../../open-engine.js";
import { DiscoveryError, ERRORS } from "../../../errors.js";
import type { ClientId } from "../../../sources/options.js";
import { ask, canInterrupt } from "../ask.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { type Backups, createBackups } from "../../../operations/files/backups.js";
import { clientsOf } from "../import/clients.js";
import { type ImportPage, toImportPage } from "../import/page.js";
import { adviceLines, changeLines, foundLines, leftOutLines, undoneLines } from "../import/page-lines.js";
import { type Plan, planImport } from "../../../operations/import/plan.js";
import { findTarget } from "../../../operations/files/target.js";
import { selectImport, type Undone, undoBackups } from "../../../operations/files/undo.js";
import { writeAll } from "../../../operations/files/write.js";
import { blocks, line, verbatim, WARNING } from "../lines.js";
import { optionsOf } from "../trust-files.js";

export const importServers: Handler = async (input, context) => {
  const clients = clientsOf(input);
  if (input.flag("undo")) return await undo(clients, input, context);
  const { loadParts, ...place } = placeFor(optionsOf(context));
  const target = await findTarget(loadParts, { newName: "mcp-discovery.config.json" });
  const system = { platform: process.platform, home: place.home, cwd: place.cwd, env: context.io.env };
  const plan = await planImport({ place, system, target, clients, movesSecrets: movesSecrets(input) });
  const backups = createBackups(join(place.stateFolder, "backups"), place.now);
  if (plan.snippet !== undefined) return await showSnippet(plan, { snippet: plan.snippet, backups, input, context });
  const isRefused = plan.rewrites.some(({ status }) => status === "refused");
  const exit = isRefused ? ERRORS.CONFIGURATION_ERROR.exit : 0;
  if (!context.isJson) context.show([...previewLines(plan, place.home)]);
  if (plan.writes.length === 0 || !(await isToBeWritten(input, context))) {
    if (context.isJson) context.json(toImportPage(plan));
    else tellNothing(plan, input, context);
    return exit;
  }
  const written = await writeAll(plan.writes, backups);
  const page = toImportPage(plan, written);
  if (context.isJson) context.json(page);
  else {
    context.show([line(0, ""), ...changeLines({ ...page, rewrites: [] }, place.home)]);
    context.note(written.flatMap(({ failure }) => (failure?.hint === undefined ? [] : [line(0, failure.hint)])));
    const isAnyWritten = written.some(({ failure }) => failure === undefined);
    if (isAnyWritten) context.show([line(0, ""), line(0, "`anygpt mcp import --undo` puts everything back.")]);
  }
  const isFailed = written.some(({ failure }) => failure !== undefined);
  return isFailed ? ERRORS.CONFIGURATION_ERROR.exit : exit;
};

function previewLines(plan: Plan, home: string) {
  const page = toImportPage(plan);
  return blocks([foundLines(page, home), changeLines(page, home), adviceLines(page, home)]);
}

function movesSecrets(input: Input): boolean {
  const where = input.text("secrets") ?? "keep";
  if (where === "env" || where === "keep") return where === "env";
  throw new DiscoveryError("INVALID_REQUEST", `--secrets cannot be "${where}".`, {
    hint: "Write `env` to move them into ~/.ai/.env, or `keep` to copy them as they are.",
  });
}

/** Somebody at a terminal is asked; everybody else has to say so. */
async function isToBeWritten(input: Input, context: Context): Promise<boolean> {
  if (input.flag("dryRun")) return false;
  if (input.flag("yes")) return true;
  return canInterrupt(context) && (await ask("Write these files?", context)) === "yes";
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

interface Snippet {
  readonly snippet: string;
  readonly backups: Backups;
  readonly input: Input;
  readonly context: Context;
}

/** A program is somebody's own text: it is shown what to add, with variables for secrets, and is not written. */
async function showSnippet(plan: Plan, { snippet, backups, input, context }: Snippet): Promise<number> {
  const { file } = plan.target;
  const { home } = placeFor(optionsOf(context));
  if (!context.isJson) {
    const planned = toImportPage(plan);
    context.show(blocks([foundLines(planned, home), [verbatim(0, snippet)], changeLines(planned, home)]));
  }
  const isWritten = plan.writes.length > 0 && (await isToBeWritten(input, context));
  const page = toImportPage(plan, isWritten ? await writeAll(plan.writes, backups) : undefined);
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

function secretsHint({ secrets: { moved, unset }, written, changes }: ImportPage): string {
  if (unset.length > 0) {
    return ` Set ${unset.join(", ")} to the secrets of those files, or let \`--secrets env\` write them to ~/.ai/.env.`;
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
