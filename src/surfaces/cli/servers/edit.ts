import { DiscoveryError, ERRORS } from "../../../errors.js";
import { openInEditor } from "../../../operations/programs/editor.js";
import {
  beginEdit,
  checkEdit,
  dropEdit,
  type EditOutcome,
  isTouched,
  keepEdit,
  type OpenEdit,
} from "../../../operations/servers/edit.js";
import { shortenHome } from "../../../util/home-path.js";
import { canInterrupt, isAttended, isConfirmed } from "../../../terminal/questions.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { failureLines } from "../failure.js";
import { bold, GOOD, line, WARNING } from "../../../terminal/lines.js";
import { engineOptions } from "../trust-files.js";
import { editLines } from "./lines.js";

export const editConfiguration: Handler = async (input, context) => {
  const edit = await beginEdit(engineOptions(context), { isProject: input.flag("project") });
  if (edit.overriddenBy !== undefined) {
    context.warn(
      `This folder uses ${edit.overriddenBy} instead of your own configuration. Add --project to edit that file.`,
    );
  }
  const edited = await editUntilSettled(edit, context);
  if (edited === "dropped") {
    context.show([line(0, `${shortenHome(edit.file, edit.place.home)} was not changed.`)]);
    return 1;
  }
  if (edited.kind === "invalid") return await leaveInvalid(edit, context);
  const isChanged = edited.kind === "valid";
  const { lost } = isChanged ? await keepEdit(edit) : { lost: [] };
  tell(edit, { isChanged, lost }, context);
  return 0;
};

/** Opens the editor again until the configuration is valid or the user stops. */
async function editUntilSettled(edit: OpenEdit, context: Context): Promise<EditOutcome | "dropped"> {
  for (;;) {
    await openOnce(edit, context);
    const edited = await checkEdit(edit);
    if (edited.kind !== "invalid") return edited;
    if (!canInterrupt(context)) {
      await dropEdit(edit);
      throw withDropped(edited.error, edit.file);
    }
    context.note(failureLines(edited.error));
    const answer = await askWhatNow(edit, context);
    if (answer === "leave") return edited;
    if (answer === "drop") {
      await dropEdit(edit);
      return "dropped";
    }
  }
}

async function openOnce(edit: OpenEdit, context: Context): Promise<void> {
  const { env, cwd } = context.io;
  const parts = { env, cwd, keepsOutput: context.isJson, isAttended: isAttended(context) };
  try {
    const exit = await context.withoutProgress(async () => await openInEditor(edit.file, parts));
    // Some editors exit with an error after they have saved the file.
    if (exit === 0 || (await isTouched(edit))) return;
    throw new DiscoveryError("INVALID_REQUEST", `The editor exited with code ${exit} and did not change the file.`, {
      hint: [
        { action: "run-command", command: "anygpt mcp edit", purpose: "try again" },
        { action: "set-variable", name: "EDITOR", value: "another editor" },
      ],
    });
  } catch (error) {
    if (await isTouched(edit)) await keepEdit(edit);
    else await dropEdit(edit);
    throw error;
  }
}

type WhatNow = "again" | "drop" | "leave";

async function askWhatNow(edit: OpenEdit, context: Context): Promise<WhatNow> {
  try {
    if (await isConfirmed("Open the file again?", context)) return "again";
    return (await isConfirmed("Restore the previous content?", context)) ? "drop" : "leave";
  } catch (error) {
    // After Ctrl-C the file keeps its new content, which `undo` can revert.
    await keepEdit(edit);
    throw error;
  }
}

async function leaveInvalid(edit: OpenEdit, context: Context): Promise<number> {
  await keepEdit(edit);
  const file = shortenHome(edit.file, edit.place.home);
  const next = "Run `anygpt mcp edit` to correct it, or `anygpt mcp undo` to restore the previous content.";
  context.note([line(0, WARNING, ` ${file} is invalid. ${next}`)]);
  return ERRORS.CONFIGURATION_ERROR.exit;
}

function withDropped(error: DiscoveryError, file: string): DiscoveryError {
  return new DiscoveryError(error.code, `${error.message} The previous content of ${file} was restored.`, {
    hint: "Run the command in a terminal to correct the file.",
    cause: error,
    facts: error.facts,
  });
}

interface Told {
  readonly isChanged: boolean;
  readonly lost: readonly string[];
}

function tell({ file, place, before }: OpenEdit, { isChanged, lost }: Told, context: Context): void {
  const isNew = before === undefined;
  if (context.isJson) return context.json({ success: true, file, isNew, changed: isChanged, lost });
  const shown = shortenHome(file, place.home);
  if (!isChanged) return context.show([line(0, `${shown} was not changed.`)]);
  context.show([line(0, GOOD, " ", bold(shown), " is valid."), ...editLines({ file, isNew, lost }, place.home)]);
}
