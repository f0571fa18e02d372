import { DiscoveryError } from "../../errors.js";
import { checkEdit, dropEdit, isTouched, keepEdit, type OpenEdit } from "./edit.js";

export interface EditPorts {
  /** Opens the file in an editor and returns the editor's exit code. */
  readonly openEditor: (file: string) => Promise<number>;
  /** Asks what to do with an invalid file. Undefined if there is no terminal: the previous content is restored. */
  readonly askWhatNow?: (error: DiscoveryError) => Promise<"again" | "restore" | "leave">;
}

export type EditResult =
  | { readonly kind: "restored" | "invalid"; readonly lost?: undefined }
  | { readonly kind: "unchanged" | "valid"; readonly lost: readonly string[] };

/** Opens the editor again until the configuration is valid or the user stops. */
export async function editUntilSettled(edit: OpenEdit, ports: EditPorts): Promise<EditResult> {
  for (;;) {
    await openOnce(edit, ports);
    const edited = await checkEdit(edit);
    if (edited.kind !== "invalid") {
      return { kind: edited.kind, ...(edited.kind === "valid" ? await keepEdit(edit) : { lost: [] }) };
    }
    if (ports.askWhatNow === undefined) {
      await dropEdit(edit);
      throw withRestored(edited.error, edit.file);
    }
    const answer = await ports.askWhatNow(edited.error).catch(async (error: unknown) => {
      // After Ctrl-C the file keeps its new content, which `undo` can revert.
      await keepEdit(edit);
      throw error;
    });
    if (answer === "restore") {
      await dropEdit(edit);
      return { kind: "restored" };
    }
    if (answer === "leave") {
      await keepEdit(edit);
      return { kind: "invalid" };
    }
  }
}

async function openOnce(edit: OpenEdit, { openEditor }: EditPorts): Promise<void> {
  try {
    const exit = await openEditor(edit.file);
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

function withRestored(error: DiscoveryError, file: string): DiscoveryError {
  return new DiscoveryError(error.code, `${error.message} The previous content of ${file} was restored.`, {
    hint: "Run the command in a terminal to correct the file.",
    cause: error,
    facts: error.facts,
  });
}
