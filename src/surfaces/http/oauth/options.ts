import { z } from "zod";
import { tokenScope, viewName } from "../token-options.js";

/** Those whose keys can be published. With a shared secret whoever can check a token could make one. */
const ALGORITHMS = [
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "EdDSA",
  "Ed25519",
] as const;

const address = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine((text) => !/[?#@]/.test(text), "expected an address without a query, a fragment and a user");
const claim = z.string().min(1).max(256);
const audience = z.string().min(1).max(2048);

/** The section `http.oauth` of the configuration. */
export const oauthOptions = z
  .strictObject({
    issuer: address.describe("Who gives out the tokens: exactly what they say in `iss`."),
    audience: z
      .union([audience, z.array(audience).min(1).max(20)])
      .transform((one) => (typeof one === "string" ? [one] : one))
      .describe(
        "What tokens for this gateway say in `aud`: usually its address with `/mcp`. One of several is enough.",
      ),
    jwksUri: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional()
      .describe("Where the issuer's keys are; left out, its metadata are asked."),
    algorithms: z
      .array(z.enum(ALGORITHMS))
      .min(1)
      .default(["ES256", "RS256", "EdDSA", "PS256"])
      .describe("How tokens may be signed."),
    scopesClaim: claim
      .default("scope")
      .describe("The claim with the scopes: a text with spaces between them, or a list."),
    actorClaim: claim.default("sub").describe("The claim that says who calls."),
    requiredScopes: z.array(tokenScope).max(100).default([]).describe("Scopes that every token has to have."),
    viewClaim: claim
      .optional()
      .describe("The claim that says which view its caller has. A token without one is refused, unless `view` is set."),
    views: z
      .record(z.string().min(1).max(256), viewName)
      .optional()
      .describe("The view for each value of `viewClaim`; left out, the value is the view's name."),
    view: viewName.optional().describe("The view of callers whose token says nothing of one."),
  })
  .describe("Tokens of an authorization server: signed JSON Web Tokens (RFC 9068) that it made for this gateway.");

export type OAuthOptions = z.output<typeof oauthOptions>;
