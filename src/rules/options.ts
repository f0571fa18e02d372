import { z } from "zod";
import { DiscoveryError } from "../errors.js";
import { isJsonObject } from "../model/json.js";
import { compileGlob } from "./glob.js";
import { openPatternCompiler } from "./pattern.js";

const LONGEST_PATTERN = 512;
const LONGEST_TAG = 64;
const MOST_PATTERNS = 1_000;
const MOST_TAGS = 64;
const MOST_RULES = 10_000;

const pattern = z
  .string()
  .min(1, "A pattern must not be empty.")
  .max(LONGEST_PATTERN, `A pattern has at most ${LONGEST_PATTERN} characters.`);

const toolRule = z
  .strictObject({
    pattern: z
      .union([pattern, z.array(pattern).min(1, "A rule needs at least one pattern.").max(MOST_PATTERNS)], {
        error: "Expected a pattern or a list of patterns.",
      })
      .optional()
      .describe(
        "Globs (`*`, `?`, `[abc]`, `{a,b}`, any case) or regexes (`/source/flags`, RE2 syntax) tried on the tool's name and " +
          "on `server:tool`, or on the name only when `server` is given. A leading `!` excludes. " +
          "May be left out when `server` is given: the rule is then about all of its tools.",
      ),
    server: pattern
      .optional()
      .describe("Name or glob of the servers that the rule is about; all servers when left out."),
    enabled: z
      .boolean()
      .optional()
      .describe(
        "Whether matching tools exist. The first rule that says so decides; one `true` anywhere disables every tool that no rule decides.",
      ),
    tags: z
      .array(
        z.string().min(1, "A tag must not be empty.").max(LONGEST_TAG, `A tag has at most ${LONGEST_TAG} characters.`),
      )
      .max(MOST_TAGS)
      .optional()
      .describe("Labels for matching tools, collected from all rules that apply; search finds tools by them."),
  })
  .refine((rule) => rule.pattern !== undefined || rule.server !== undefined, {
    path: ["pattern"],
    error: "A rule without `server` needs a `pattern`.",
  })
  .transform(({ pattern = "*", ...rest }) => ({ ...rest, pattern: typeof pattern === "string" ? [pattern] : pattern }));

/** The section `toolRules` of the configuration. */
export const toolRulesOptions = z
  .array(toolRule)
  .max(MOST_RULES, `There can be at most ${MOST_RULES} rules.`)
  .default([])
  .describe("Rules that enable, disable and tag tools, the same for everybody. Evaluated per tool, in order.");

/** One rule as the person wrote it, its patterns always a list. */
export type ToolRule = z.output<typeof toolRule>;

export interface BadPattern {
  /** Where in `toolRules` it stands. */
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/**
 * The patterns that do not compile, among rules as they were read and whatever else is wrong with them. No check of the
 * schema can do this, because those cannot wait for the regex engine to load.
 */
export async function findBadPatterns(rules: unknown): Promise<BadPattern[]> {
  const written = [...writtenPatterns(rules)];
  const compilePattern = await openPatternCompiler(written.map(({ text }) => text));
  return written.flatMap(({ path, text }) => {
    try {
      if (path[1] === "server") compileGlob(text);
      else compilePattern(text);
      return [];
    } catch (error) {
      if (!(error instanceof DiscoveryError)) throw error;
      return [{ path, reason: error.message }];
    }
  });
}

/** What the schema refuses by itself is left out. */
function* writtenPatterns(rules: unknown): Iterable<{ path: readonly (string | number)[]; text: string }> {
  for (const [index, rule] of Array.isArray(rules) ? rules.entries() : []) {
    if (!isJsonObject(rule)) continue;
    const list = Array.isArray(rule["pattern"]) ? rule["pattern"] : [];
    const values: [(string | number)[], unknown][] = [
      [[index, "pattern"], rule["pattern"]],
      ...list.map((value, place): [(string | number)[], unknown] => [[index, "pattern", place], value]),
      [[index, "server"], rule["server"]],
    ];
    for (const [path, value] of values) {
      const { data } = pattern.safeParse(value);
      if (data !== undefined) yield { path, text: data };
    }
  }
}
