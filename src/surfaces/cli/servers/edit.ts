import { DiscoveryError, ERRORS } from "../../../errors.js";
import { openInEditor } from "../../../operations/programs/editor.js";
import {
  beginEdit,
  checkEdit,
  dropEdit,
  type Edited,
  isTouched,
  keepEdit,
  type OpenEdit,
} from "../../../operations/servers/edit.js";
import { shortenHome } from "../../../util/home-path.js";
import { ask, canInterrupt, isAttended } from "../ask.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { failureLines } from "../failure.js";
import { bold, GOOD, line, WARNING } from "../lines.js";
import { optionsOf } from "../trust-files.js";
import { editLines } from "./lines.js";

export const editConfiguration: Handler = async (input, context) => {
  const edit = await beginEdit(optionsOf(context), { isProject: input.flag("project") });
  if (edit.overriddenBy !== undefined) {
    context.warn(`In this folder ${edit.overriddenBy} is in force. Add --project to edit that file.`);
  }
  const edited = await editUntilSettled(edit, context);
  if (edited === "dropped") {
    context.show([line(0, `${shortenHome(edit.file, edit.place.home)} is as it was.`)]);
    return 1;
  }
  if (edited.kind === "invalid") return await leaveInvalid(edit, context);
  const isChanged = edited.kind === "valid";
  const { lost } = isChanged ? await keepEdit(edit) : { lost: [] };
  tell(edit, { isChanged, lost }, context);
  return 0;
};

/** Opens the editor again as long as the user wants to correct what is wrong. */
async function editUntilSettled(edit: OpenEdit, context: Context): Promise<Edited | "dropped"> {
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
    const exit = await context.undisturbed(async () => await openInEditor(edit.file, parts));
    // Some editors fail after they have saved.
    if (exit === 0 || (await isTouched(edit))) return;
    throw new DiscoveryError("INVALID_REQUEST", `The editor ended with exit code ${exit} and changed nothing.`, {
      hint: "Run `anygpt mcp edit` again; VISUAL and EDITOR choose the editor.",
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
    if ((await ask("Open it again?", context)) === "yes") return "again";
    return (await ask("Put the file back as it was?", context)) === "yes" ? "drop" : "leave";
  } catch (error) {
    // Interrupted: what was written stays, and can be undone.
    await keepEdit(edit);
    throw error;
  }
}

async function leaveInvalid(edit: OpenEdit, context: Context): Promise<number> {
  await keepEdit(edit);
  const file = shortenHome(edit.file, edit.place.home);
  const next = "`anygpt mcp edit` opens it again, `anygpt mcp undo` takes it back.";
  context.note([line(0, WARNING, ` ${file} cannot be used as it is. ${next}`)]);
  return ERRORS.CONFIGURATION_ERROR.exit;
}

function withDropped(error: DiscoveryError, file: string): DiscoveryError {
  return new DiscoveryError(error.code, `${error.message} ${file} was put back as it was.`, {
    hint: "Edit it in a terminal to correct what is wrong.",
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
