import { existsSync, lstatSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { replaceFile } from "../files/replace-file.js";
import { readRegularFile, readRegularText } from "../../util/regular-file.js";

/** The file with credentials, relative to the working folder. */
export const ENV_FILE = ".ai/.env";

/**
 * Whether the file with the credentials could be committed, because no rule of git ignores it. False outside of a git
 * work tree.
 */
export async function isExposed(cwd: string): Promise<boolean> {
  const root = workTreeOf(cwd);
  if (root === undefined) return false;
  const segments = [...segmentsOf(relative(root, cwd)), ...ENV_FILE.split("/")];
  const rules = [...(await rulesIn(join(root, ".git/info/exclude"), 0))];
  for (let depth = 0; depth < segments.length; depth += 1) {
    rules.push(...(await rulesIn(join(root, ...segments.slice(0, depth), ".gitignore"), depth)));
  }
  // Git ignores everything in an ignored folder, even if a later rule negates it.
  return !segments.some((_, index) => isIgnored(segments.slice(0, index + 1), index + 1 < segments.length, rules));
}

/**
 * Adds the file with the credentials to `.gitignore`. Returns false if `.gitignore` is a symbolic link, because git
 * does not read such a `.gitignore`.
 */
export async function ignoreEnvFile(cwd: string): Promise<boolean> {
  const path = join(cwd, ".gitignore");
  if (isSymbolicLink(path)) return false;
  const before = await readRegularFile(path).catch(() => undefined);
  const start = before === undefined || before.length === 0 || before.at(-1) === 0x0a ? "" : "\n";
  const bytes = Buffer.concat([before ?? Buffer.alloc(0), Buffer.from(`${start}${ENV_FILE}\n`)]);
  await replaceFile({ path, expected: before, bytes, ...(before === undefined ? { mode: 0o644 } : {}) });
  return true;
}

function isSymbolicLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function workTreeOf(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : workTreeOf(above);
}

interface Rule {
  /** The depth of the folder with the `.gitignore` file, below the root. */
  readonly depth: number;
  readonly pattern: readonly string[];
  readonly isFolder: boolean;
  readonly isNegated: boolean;
}

const MAX_CHARACTERS = 1_000_000;

async function rulesIn(file: string, depth: number): Promise<Rule[]> {
  const text = isSymbolicLink(file) ? "" : await readRegularText(file).catch(() => "");
  return text
    .slice(0, MAX_CHARACTERS)
    .split(/\r?\n/)
    .flatMap((line) => toRule(line, depth));
}

function toRule(line: string, depth: number): Rule[] {
  const trimmed = line.replace(/(?<!\\)\s+$/, "");
  if (trimmed === "" || trimmed.startsWith("#")) return [];
  const isNegated = trimmed.startsWith("!");
  const whole = isNegated ? trimmed.slice(1) : trimmed;
  const isFolder = whole.endsWith("/");
  const path = isFolder ? whole.slice(0, -1) : whole;
  const pattern = segmentsOf(path.replace(/^\//, ""), "/");
  return [{ depth, isFolder, isNegated, pattern: path.includes("/") ? pattern : ["**", ...pattern] }];
}

function isIgnored(path: readonly string[], isFolder: boolean, rules: readonly Rule[]): boolean {
  const rule = rules.findLast(
    (one) => (isFolder || !one.isFolder) && one.depth < path.length && fits(one.pattern, path.slice(one.depth)),
  );
  return rule !== undefined && !rule.isNegated;
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  return matches(pattern, path, {
    isRun: (segment) => segment === "**",
    isOne: (segment, name) =>
      matches(Array.from(segment), Array.from(name), {
        isRun: (character) => character === "*",
        isOne: (character, other) => character === "?" || character === other,
      }),
  });
}

interface Matchers {
  readonly isRun: (step: string) => boolean;
  readonly isOne: (step: string, item: string) => boolean;
}

/** Greedy wildcard matching, in O(pattern length × number of items) time. */
function matches(pattern: readonly string[], items: readonly string[], { isRun, isOne }: Matchers): boolean {
  let [at, step, run, resumed] = [0, 0, -1, 0];
  while (at < items.length) {
    const wanted = pattern[step];
    if (wanted !== undefined && isRun(wanted)) {
      [run, resumed] = [step, at];
      step += 1;
    } else if (wanted !== undefined && isOne(wanted, items[at] ?? "")) {
      step += 1;
      at += 1;
    } else if (run === -1) {
      return false;
    } else {
      resumed += 1;
      [step, at] = [run + 1, resumed];
    }
  }
  return pattern.slice(step).every(isRun);
}

function segmentsOf(path: string, separator = sep): string[] {
  return path.split(separator).filter((segment) => segment !== "");
}
