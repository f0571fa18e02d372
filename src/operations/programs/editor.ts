import { DiscoveryError } from "../../errors.js";
import { splitCommand } from "../../util/split-command.js";
import { runAtTerminal, type TerminalParts } from "./run-program.js";

export interface EditorParts extends TerminalParts {
  /** Whether a user is at the terminal. If not, `VISUAL` or `EDITOR` must name the editor. */
  readonly isAttended: boolean;
}

/** Opens a file in the user's editor, waits until the editor ends, and returns its exit code. */
export async function openInEditor(file: string, parts: EditorParts): Promise<number> {
  const [command = "", ...args] = editorWords(parts);
  try {
    return await runAtTerminal(command, [...args, file], parts);
  } catch (error) {
    if (error instanceof DiscoveryError) throw error;
    throw new DiscoveryError("INVALID_REQUEST", `The editor "${command}" could not be started.`, {
      hint: {
        action: "set-variable",
        name: "EDITOR",
        value: "the command of an editor, such as nano or `code --wait`",
      },
      cause: error,
    });
  }
}

function editorWords({ env, isAttended }: EditorParts): readonly string[] {
  const chosen = env["VISUAL"] || env["EDITOR"] || undefined;
  if (chosen === undefined) {
    if (isAttended) return [process.platform === "win32" ? "notepad" : "vi"];
    throw new DiscoveryError("INVALID_REQUEST", "The editor cannot be opened, because there is no terminal.", {
      hint: "Run the command in a terminal, or set VISUAL or EDITOR to a command that needs no terminal.",
    });
  }
  const words = splitCommand(chosen);
  if (words !== undefined && words.length > 0) return words;
  throw new DiscoveryError(
    "INVALID_REQUEST",
    `The value of VISUAL or EDITOR is not a valid command: ${JSON.stringify(chosen)}.`,
    {
      hint: "Set the variable to the command of an editor, such as nano or `code --wait`.",
    },
  );
}
