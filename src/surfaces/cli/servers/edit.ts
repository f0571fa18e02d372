import { ERRORS } from "../../../errors.js";
import { openInEditor } from "../../../operations/programs/editor.js";
import { beginEdit } from "../../../operations/servers/edit.js";
import { type EditPorts, editUntilSettled } from "../../../operations/servers/edit-session.js";
import { bold, GOOD, line } from "../../../terminal/lines.js";
import { canInterrupt, isAttended, isConfirmed } from "../../../terminal/questions.js";
import { shortenHome } from "../../../util/home-path.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { failureLines } from "../failure.js";
import { engineOptions } from "../trust-files.js";
import { editLines } from "./lines.js";

export const editConfiguration: Handler = async (input, context) => {
  const edit = await beginEdit(engineOptions(context), { isProject: input.flag("project") });
  if (edit.overriddenBy !== undefined) {
    context.warn(
      `This folder uses ${edit.overriddenBy} instead of your own configuration. Add --project to edit that file.`,
    );
  }
  const result = await editUntilSettled(edit, portsOf(context));
  const { file, place, before } = edit;
  const shown = shortenHome(file, place.home);
  const notChanged = [`${shown} was not changed.`];
  if (result.kind === "restored") {
    context.show(notChanged);
    return 1;
  }
  if (result.lost === undefined) {
    const next = "Run `anygpt mcp edit` to correct it, or `anygpt mcp undo` to restore the previous content.";
    context.warn(`${shown} is invalid. ${next}`);
    return ERRORS.CONFIGURATION_ERROR.exit;
  }
  const { kind, lost } = result;
  const isNew = before === undefined;
  context.reply({ success: true, file, isNew, changed: kind === "valid", lost }, () =>
    kind === "unchanged"
      ? notChanged
      : [line(0, GOOD, " ", bold(shown), " is valid."), ...editLines({ file, isNew, lost }, place.home)],
  );
  return 0;
};

function portsOf(context: Context): EditPorts {
  const { env, cwd } = context.io;
  const parts = { env, cwd, keepsOutput: context.isJson, isAttended: isAttended(context) };
  const openEditor: EditPorts["openEditor"] = (file) => context.withoutProgress(() => openInEditor(file, parts));
  const askWhatNow: EditPorts["askWhatNow"] = async (error) => {
    context.note(failureLines(error));
    if (await isConfirmed("Open the file again?", context)) return "again";
    return (await isConfirmed("Restore the previous content?", context)) ? "restore" : "leave";
  };
  return canInterrupt(context) ? { openEditor, askWhatNow } : { openEditor };
}
