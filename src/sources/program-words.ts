import type { StdioConnection } from "../model/server.js";

const SHELL = /(?:^|[\\/])(?:sh|bash|zsh|dash|fish|cmd|powershell|pwsh)(?:\.exe)?$/i;
const SCRIPT_FOLLOWS = /^(?:\/c|\/k|-\w*c|-command|--stdio)$/i;

/** The command and its arguments; shell scripts are split into words, and the shell itself is omitted. */
export function programWords({ command, args }: StdioConnection): readonly string[] {
  const isShell = SHELL.test(command);
  const words = args.flatMap((word, index) => {
    const isScript = isShell || SCRIPT_FOLLOWS.test(args[index - 1] ?? "");
    return isScript && /\s/.test(word) ? splitScript(word) : [word];
  });
  return isShell
    ? words.filter((word) => !/^(?:\/[ckdsq]|-\w*c|-command|-noprofile|-l|-i)$/i.test(word))
    : [command, ...words];
}

function splitScript(script: string): string[] {
  return [...script.matchAll(/"([^"]*)"|'([^']*)'|([^\s"';&|()]+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}
