import { z } from "zod";
import { DiscoveryError } from "../errors.js";
import { isJsonObject } from "../model/json.js";
import { compileGlob } from "./glob.js";
import { openPatternCompiler } from "./pattern.js";

const MAX_PATTERN_LENGTH = 512;
const MAX_TAG_LENGTH = 64;
const MAX_PATTERNS = 1_000;
const MAX_TAGS = 64;
const MAX_RULES = 10_000;

const pattern = z
  .string()
  .min(1, "A pattern must not be empty.")
  .max(MAX_PATTERN_LENGTH, `A pattern must not have more than ${MAX_PATTERN_LENGTH} characters.`);

const toolRule = z
  .strictObject({
    pattern: z
      .union([pattern, z.array(pattern).min(1, "A rule needs at least one pattern.").max(MAX_PATTERNS)], {
        error: "Expected a pattern or a list of patterns.",
      })
      .optional()
      .describe(
        "Globs (`*`, `?`, `[abc]`, `{a,b}`) or regexes (`/source/flags`, RE2 syntax) that are matched " +
          "against the tool's name and against `server:tool`, or only against the name if `server` is set. " +
          "Case, accents, compatibility forms, white space and invisible characters do not matter. A leading `!` excludes the matching tools. Optional if `server` is set: the rule then applies to all tools of the server.",
      ),
    server: pattern.optional().describe("Name or glob of the servers that the rule applies to. Default: all servers."),
    enabled: z
      .boolean()
      .optional()
      .describe(
        "Whether matching tools are available. The first matching rule with this key decides. If any rule has `true`, tools that no rule decides are disabled.",
      ),
    tags: z
      .array(
        z
          .string()
          .min(1, "A tag must not be empty.")
          .max(MAX_TAG_LENGTH, `A tag must not have more than ${MAX_TAG_LENGTH} characters.`),
      )
      .max(MAX_TAGS)
      .optional()
      .describe("Tags for matching tools, collected from all matching rules. Search finds tools by their tags."),
  })
  .refine((rule) => rule.pattern !== undefined || rule.server !== undefined, {
    path: ["pattern"],
    error: "A rule without `server` needs a `pattern`.",
  })
  .transform(({ pattern = "*", ...rest }) => ({ ...rest, pattern: typeof pattern === "string" ? [pattern] : pattern }));

/** The section `toolRules` of the configuration. */
export const toolRulesOptions = z
  .array(toolRule)
  .max(MAX_RULES, `There must not be more than ${MAX_RULES} rules.`)
  .default([])
  .describe(
    "Rules that enable, disable and tag tools, for all callers. The gateway evaluates them in order for each tool.",
  );

/** A validated entry of `toolRules`, with its patterns as a list. */
export type NormalizedToolRule = z.output<typeof toolRule>;

export interface BadPattern {
  /** Where the pattern is inside `toolRules`, as keys and indexes. */
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/**
 * Finds the invalid patterns in rules that are parsed but not validated, so they may have other errors too. The
 * configuration schema cannot check patterns, because loading the regex engine is asynchronous.
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

/** Yields all patterns in the rules. Skips values that the configuration schema rejects. */
function* writtenPatterns(rules: unknown): Iterable<{ path: readonly (string | number)[]; text: string }> {
  for (const [index, rule] of Array.isArray(rules) ? rules.entries() : []) {
    if (!isJsonObject(rule)) continue;
    const list = Array.isArray(rule["pattern"]) ? rule["pattern"] : [];
    const values: [(string | number)[], unknown][] = [
      [[index, "pattern"], rule["pattern"]],
      ...list.map((value, position): [(string | number)[], unknown] => [[index, "pattern", position], value]),
      [[index, "server"], rule["server"]],
    ];
    for (const [path, value] of values) {
      const { data } = pattern.safeParse(value);
      if (data !== undefined) yield { path, text: data };
    }
  }
}
