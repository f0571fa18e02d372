// Finds the command inside programs that run another program: shells, interpreters and wrappers.

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash"]);
const WINDOWS_SHELLS = new Set(["cmd", "powershell", "pwsh"]);
const NODE = new Set(["node", "nodejs"]);
const PYTHON = /^(?:py|python(?:\d+(?:\.\d+)?)?)$/;
const MAX_DEPTH = 5;

/**
 * The command lines that a command may run: itself, those inside shells, and those behind a wrapper such as `env
 * A=1`, `timeout 60`, `nice -n 10` or `op run --`. The options of wrappers are unknown, so the inner command line
 * begins at the first word that names a known program.
 */
export function unwrap(words: readonly string[], isInstaller: (program: string) => boolean, depth = 0): string[][] {
  const [first = "", ...rest] = words;
  const program = programOf(first);
  const inner = (lines: readonly (readonly string[])[]): string[][] =>
    lines.flatMap((line) => unwrap(line, isInstaller, depth + 1));
  if (depth > MAX_DEPTH || words.length === 0) return [];
  if (isInstaller(program)) return [[...words]];
  if (SHELLS.has(program)) return inner(scriptsOf(rest));
  if (WINDOWS_SHELLS.has(program)) return inner(splitScript(afterOptions(rest).join(" ")));
  if (NODE.has(program)) return inner(npmProgramOf(rest));
  if (PYTHON.test(program)) return inner(moduleOf(rest).filter(([module = ""]) => isInstaller(module)));
  if (program === "env" && /^(?:-S|--split-string)$/.test(rest[0] ?? ""))
    return inner([[...(splitScript(rest[1] ?? "")[0] ?? []), ...rest.slice(2)]]);
  const isProgram = (word: string): boolean => {
    const name = programOf(word);
    return isInstaller(name) || SHELLS.has(name) || WINDOWS_SHELLS.has(name) || NODE.has(name) || PYTHON.test(name);
  };
  const at = rest.findIndex(isProgram);
  return at === -1 ? [] : inner([rest.slice(at)]);
}

/** The name of a program without its folder and without a Windows file extension. */
export function programOf(word: string): string {
  const name = word.split(/[\\/]/).at(-1) ?? word;
  return name.toLowerCase().replace(/\.(?:exe|cmd|ps1)$/, "");
}

/** Recognizes `node …/npx-cli.js` as npx. */
function npmProgramOf(args: readonly string[]): string[][] {
  const at = args.findIndex((word) => !word.startsWith("-"));
  const [, program] = /(?:^|[\\/])(npx|npm)-cli\.js$/.exec(args[at] ?? "") ?? [];
  const rest = args.slice(at + 1);
  return program === undefined ? [] : [[program, ...rest]];
}

/** Recognizes `python -m uv` as uv. */
function moduleOf(args: readonly string[]): string[][] {
  const at = args.findIndex((word) => !word.startsWith("-") || word === "-m");
  return args[at] === "-m" ? [args.slice(at + 1)] : [];
}

/** The commands in the script of `sh -c "…"`. Script files are not read. */
function scriptsOf(args: readonly string[]): string[][] {
  const at = args.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at === -1 ? [] : splitScript(args[at + 1] ?? "");
}

function afterOptions(args: readonly string[]): string[] {
  const at = args.findIndex((word) => !/^[/-]/.test(word));
  return at === -1 ? [] : args.slice(at);
}

/** Splits a script at shell operators into lists of unquoted words. Nothing is expanded. */
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
