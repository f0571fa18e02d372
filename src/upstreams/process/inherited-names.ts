/** Names of variables with tokens and settings of the gateway itself. They are never passed to a child process. */
const GATEWAY_VARIABLE = /^ANYGPT_/i;

/** The names of the variables that match one of the patterns. `*` matches any characters, `?` matches one. */
export function inheritedNames(
  env: Readonly<Record<string, string | undefined>>,
  patterns: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string[] {
  const tests = patterns.map((pattern) => toTest(pattern, platform));
  return Object.keys(env).filter((name) => !GATEWAY_VARIABLE.test(name) && tests.some((test) => test.test(name)));
}

/** Environment variable names are case-insensitive on Windows. */
function toTest(pattern: string, platform: NodeJS.Platform): RegExp {
  const source = pattern
    .replace(/[^\w*?]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, platform === "win32" ? "is" : "s");
}
