import { win32 } from "node:path";
import { DiscoveryError } from "../../errors.js";

export interface CommandLine {
  readonly file: string;
  readonly args: readonly string[];
  /** True if the arguments are one complete command line that must not be quoted again. */
  readonly verbatim: boolean;
}

export interface CommandSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly exists: (path: string) => boolean;
}

// Characters that cmd.exe interprets even within quotes. They are never passed to a batch file.
const UNSAFE_IN_BATCH = /["%^&|<>!\r\n\0]/;

/**
 * Windows can execute programs only, not the `.cmd` files that npm installs. Those run through cmd.exe with every
 * argument quoted; arguments that cannot be quoted safely are rejected.
 */
export function windowsCommandLine(command: string, args: readonly string[], search: CommandSearch): CommandLine {
  const file = findProgram(command, search);
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args, verbatim: false };
  const unsafe = [file, ...args].find((argument) => UNSAFE_IN_BATCH.test(argument));
  if (unsafe !== undefined) {
    throw new DiscoveryError(
      "CONFIGURATION_ERROR",
      `An argument of ${command} cannot be passed safely to a batch file.`,
      {
        hint: 'Name the program behind the batch file as "command", or remove the characters " % ^ & | < > !.',
      },
    );
  }
  const line = [file, ...args].map((argument) => `"${argument.replace(/\\+$/, "$&$&")}"`).join(" ");
  return { file: variable(search.env, "COMSPEC") ?? "cmd.exe", args: ["/d", "/s", "/c", `"${line}"`], verbatim: true };
}

function findProgram(command: string, search: CommandSearch): string {
  const endings = ["", ...(variable(search.env, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";")];
  const folders = /[\\/]/.test(command)
    ? [search.cwd]
    : (variable(search.env, "PATH") ?? "").split(";").filter(Boolean);
  for (const folder of folders) {
    for (const ending of endings) {
      const path = win32.resolve(search.cwd, folder, `${command}${ending}`);
      if (/\.[a-z]+$/i.test(path) && search.exists(path)) return path;
    }
  }
  return command;
}

function variable(env: CommandSearch["env"], name: string): string | undefined {
  const key = Object.keys(env).find((candidate) => candidate.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
}
