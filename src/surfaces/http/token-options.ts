import { z } from "zod";

const MAX_TOKENS = 1000;

export const tokenName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/,
    "expected 1 to 64 letters, digits and . _ @ -, starting with a letter or digit",
  );
export const tokenScope = z
  .string()
  .regex(/^[!#-[\]-~]{1,128}$/, "expected 1 to 128 visible ASCII characters without quotes and backslashes");
export const viewName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "expected 1 to 64 letters, digits and . _ -, starting with a letter or digit",
  );

const token = z.strictObject({
  name: tokenName.describe("The name of the caller: `token:NAME` in the audit log."),
  hash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, "expected sha256: and 64 hexadecimal digits, as `anygpt mcp token create` prints")
    .describe("The hash of the token, never the token itself: `sha256:` and 64 hexadecimal digits."),
  scopes: z.array(tokenScope).max(100).default([]).describe("The permissions of the caller; `*` allows everything."),
  view: viewName.optional().describe("The view that limits which servers and tools the caller sees; by default all."),
  expires: z.iso
    .datetime({ offset: true })
    .optional()
    .describe("When the token expires, as in `2027-01-31T00:00:00Z`."),
});

export const tokensOptions = z
  .array(token)
  .max(MAX_TOKENS)
  .default([])
  .superRefine((tokens, context) => {
    const seen = { name: new Set<string>(), hash: new Set<string>() };
    for (const [index, one] of tokens.entries()) {
      for (const key of ["name", "hash"] as const) {
        if (seen[key].has(one[key])) {
          context.addIssue({ code: "custom", path: [index, key], message: "another token already has this value" });
        }
        seen[key].add(one[key]);
      }
    }
  })
  .describe("Tokens of callers other than the local user. `anygpt mcp token create` creates them.");

export type TokenEntry = z.output<typeof token>;
