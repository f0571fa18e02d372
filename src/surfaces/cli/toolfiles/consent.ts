import { openToolFiles, type ToolFileFolders } from "../../../operations/toolfiles/open-tool-files.js";
import { canInterrupt, isConfirmed } from "../../../terminal/questions.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import type { Line } from "../../../terminal/lines.js";
import { engineCommand } from "../session.js";

/** A command whose handler needs the folders of the tool files. */
export function toolFilesCommand(
  run: (folders: ToolFileFolders, input: Input, context: Context) => Promise<number | void>,
): Handler {
  return engineCommand(async (engine, input, context) => run(openToolFiles(await engine.stages()), input, context));
}

export interface KeyConsent {
  /** Shown before the question: what the user agrees to. */
  readonly lines: readonly Line[];
  readonly question: string;
  /** The user has already consented, for example with `--yes`, so the command does not ask. */
  readonly isGiven: boolean;
  /** Standard input was already read, so no question can be answered there. */
  readonly hasUsedInput?: boolean;
  /** Hint in the error if no question can be asked. */
  readonly hint: string;
}

/** Whether the user agrees: with `--yes`, or by answering the question. */
export async function hasConsent(consent: KeyConsent, context: Context): Promise<boolean> {
  if (consent.isGiven) return true;
  if (!context.isJson) context.note(consent.lines);
  if (!canInterrupt(context) || consent.hasUsedInput === true) {
    throw invalidRequest("This command needs a confirmation, and there is no terminal to ask for it.", consent.hint);
  }
  return await isConfirmed(consent.question, context);
}
