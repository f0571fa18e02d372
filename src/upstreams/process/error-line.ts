// Finds the line of a program's standard error that explains its failure. It is often not the last line.

/** Patterns of lines that follow an error report and do not explain the cause. */
const NOISE = [
  /^Node\.js v\d/,
  /^npm (?:ERR!|error) (?:A complete log of this run|Log files were not written|code |errno |syscall |path |command |signal )/,
  /^npm (?:ERR!|error)\s*$/,
  /^npm (?:warn|WARN|notice)\b/,
  /^\s*at .+(?::\d+:\d+\)?|\(<anonymous>\))$/,
  /^\s*(?:\^+|[{}\]]+,?;?)\s*$/,
  /^\s*(?:code|errno|syscall|requireStack|url|cause): /,
  /^See '?docker run --help'?/i,
  /^Run 'docker .* --help' for more information/,
  /^\s*hint: /,
  /^exit status \d+$/,
];

/**
 * Patterns of lines that explain a failure, from most to least specific. `takes` selects the first or the last match.
 */
const CAUSES: readonly { readonly pattern: RegExp; readonly takes: "first" | "last" }[] = [
  // npm 7 to 11. The line with the status or the reason comes first: "npm error 404 Not Found - GET …".
  {
    pattern:
      /^npm (?:ERR!|error) (?:\d{3} |network |notarget |could not determine|request to |Cannot |E[A-Z]{3,}|\w+ E[A-Z]{3,})/,
    takes: "first",
  },
  { pattern: /^npm (?:ERR!|error) \S/, takes: "first" },
  // Node: "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from …", "TypeError: …".
  { pattern: /^(?:Uncaught )?(?:\w+ )?\w*Error(?: \[\w+\])?: \S/, takes: "last" },
  // Python: the last line of a traceback names the exception.
  { pattern: /^(?:[\w.]+\.)?\w+(?:Error|Exception|Exit|Interrupt|Warning)(?:: .*)?$/, takes: "last" },
  // uv marks errors and their causes.
  { pattern: /^\s*(?:error|× .+|╰─▶ .+)(?::|$)/, takes: "first" },
  { pattern: /^(?:docker|podman): (?:Error|error)/, takes: "first" },
  { pattern: /^Error(?: response from daemon)?: /, takes: "first" },
  // Command-line programs, this gateway among them, mark an error; advice follows it.
  { pattern: /^[✗✖] \S/, takes: "first" },
  // go: "main.go:3:2: …", "go: module …: not found".
  { pattern: /^(?:go: |\S+\.go:\d+:\d+: )/, takes: "first" },
  { pattern: /\b(?:ENOTFOUND|ECONNREFUSED|EAI_AGAIN|EACCES|ENOSPC|ETIMEDOUT)\b/, takes: "first" },
  { pattern: /(?:command )?not found$/, takes: "last" },
];

export function findErrorLine(lines: readonly string[]): string | undefined {
  const candidates = lines.filter((line) => !NOISE.some((noise) => noise.test(line)));
  for (const { pattern, takes } of CAUSES) {
    const found = candidates.filter((line) => pattern.test(line)).at(takes === "first" ? 0 : -1);
    if (found !== undefined) return found.trim();
  }
  return (candidates.at(-1) ?? lines.at(-1))?.trim();
}
