/** Never handed on: tokens and settings of the gateway itself. */
const OWN = /^ANYGPT_/i;

/** The variables of an environment whose names match one of the patterns; `*` stands for any characters, `?` for one. */
export function inheritedNames(
  env: Readonly<Record<string, string | undefined>>,
  patterns: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string[] {
  const tests = patterns.map((pattern) => toTest(pattern, platform));
  return Object.keys(env).filter((name) => !OWN.test(name) && tests.some((test) => test.test(name)));
}

/** Windows does not tell `Path` from `PATH`. */
function toTest(pattern: string, platform: NodeJS.Platform): RegExp {
  const source = pattern
    .replace(/[^\w*?]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, platform === "win32" ? "is" : "s");
}
