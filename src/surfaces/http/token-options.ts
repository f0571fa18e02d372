import { z } from "zod";

const MOST_TOKENS = 1000;

export const tokenName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/, "expected 1 to 64 letters, digits and . _ @ -, the first no sign");
export const tokenScope = z
  .string()
  .regex(/^[!#-[\]-~]{1,128}$/, "expected 1 to 128 visible ASCII characters without quotes and backslashes");
export const viewName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "expected 1 to 64 letters, digits and . _ -, the first no sign");

const token = z.strictObject({
  name: tokenName.describe("Who calls with it: `token:NAME` in the record."),
  hash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, "expected sha256: and 64 hexadecimal digits, as `anygpt mcp token create` prints")
    .describe("Of the token, never the token itself: `sha256:` and 64 hexadecimal digits."),
  scopes: z.array(tokenScope).max(100).default([]).describe("What its caller may do; `*` is everything."),
  view: viewName.optional().describe("Which servers and tools there are for its caller; left out, all."),
  expires: z.iso
    .datetime({ offset: true })
    .optional()
    .describe("When it stops to count, as in `2027-01-31T00:00:00Z`."),
});

export const tokensOptions = z
  .array(token)
  .max(MOST_TOKENS)
  .default([])
  .superRefine((tokens, context) => {
    const seen = { name: new Set<string>(), hash: new Set<string>() };
    for (const [index, one] of tokens.entries()) {
      for (const key of ["name", "hash"] as const) {
        if (seen[key].has(one[key])) {
          context.addIssue({ code: "custom", path: [index, key], message: "another token has it already" });
        }
        seen[key].add(one[key]);
      }
    }
  })
  .describe("Tokens of other callers than the person at this machine. `anygpt mcp token create` makes them.");

export type TokenEntry = z.output<typeof token>;
