// Programs that only run another program: shells, env, cmd.

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash"]);
const WINDOWS_SHELLS = new Set(["cmd", "powershell", "pwsh"]);
const PREFIXES = new Set(["exec", "command", "nohup", "nice", "time", "corepack"]);
const DEEPEST = 5;

/** The command lines that a command runs: itself, or those inside the shells around them. */
export function unwrap(words: readonly string[], depth = 0): string[][] {
  const [first = "", ...rest] = words;
  const program = programOf(first);
  if (depth > DEEPEST || words.length === 0) return [];
  if (/^\w+=/.test(first)) return unwrap(rest, depth + 1);
  if (SHELLS.has(program)) return scriptsOf(rest).flatMap((inner) => unwrap(inner, depth + 1));
  if (WINDOWS_SHELLS.has(program))
    return splitScript(afterOptions(rest).join(" ")).flatMap((inner) => unwrap(inner, depth + 1));
  if (program === "env") return unwrap(afterEnv(rest), depth + 1);
  if (PREFIXES.has(program)) return unwrap(rest.slice(rest.findIndex((word) => !word.startsWith("-"))), depth + 1);
  return [[...words]];
}

/** The name of a program without its folder and without the ending that Windows gives it. */
export function programOf(word: string): string {
  const name = word.split(/[\\/]/).at(-1) ?? word;
  return name.toLowerCase().replace(/\.(?:exe|cmd|ps1)$/, "");
}

/** The commands of `sh -c "…"`; a script file is not read. */
function scriptsOf(args: readonly string[]): string[][] {
  const at = args.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at === -1 ? [] : splitScript(args[at + 1] ?? "");
}

function afterOptions(args: readonly string[]): string[] {
  const at = args.findIndex((word) => !/^[/-]/.test(word));
  return at === -1 ? [] : args.slice(at);
}

function afterEnv(args: readonly string[]): string[] {
  const [first = "", ...rest] = args;
  if (first === "-u" || first === "--unset" || first === "-C" || first === "--chdir") return afterEnv(rest.slice(1));
  if (first === "-S") return [...(splitScript(rest[0] ?? "")[0] ?? []), ...rest.slice(1)];
  return first.startsWith("-") || /^\w+=/.test(first) ? afterEnv(rest) : [...args];
}

/** Words with their quotes removed, in lists that the operators of a shell separate. Nothing is expanded. */
function splitScript(script: string): string[][] {
  const lines: string[][] = [[]];
  for (const [token] of script.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s;&|"'\\])+|[;&|\n]+/g)) {
    if (/^[;&|\n]/.test(token)) lines.push([]);
    else lines.at(-1)?.push(unquote(token));
  }
  return lines.filter((words) => words.length > 0);
}

function unquote(token: string): string {
  return token.replace(
    /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g,
    (_all, double?: string, single?: string, one?: string) =>
      double === undefined ? (single ?? one ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
  );
}
