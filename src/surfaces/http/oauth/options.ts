import { z } from "zod";
import { tokenScope, viewName } from "../token-options.js";

/**
 * The signature algorithms that may be configured. Only asymmetric ones: with a shared secret, every verifier could
 * create tokens.
 */
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
  .refine((text) => !/[?#@]/.test(text), "expected a URL without a query, a fragment and a user name");
const claim = z.string().min(1).max(256);
const audience = z.string().min(1).max(2048);

/** The schema of the configuration section `http.oauth`. */
export const oauthOptions = z
  .strictObject({
    issuer: address.describe("The issuer of the tokens. It must equal the claim `iss` exactly."),
    audience: z
      .union([audience, z.array(audience).min(1).max(20)])
      .transform((one) => (typeof one === "string" ? [one] : one))
      .describe(
        "The accepted values of the claim `aud`, usually the gateway's URL with `/mcp`. A token must have one of these values.",
      ),
    jwksUri: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional()
      .describe("The URL of the issuer's keys (JWKS); by default it is read from the issuer's metadata."),
    algorithms: z
      .array(z.enum(ALGORITHMS))
      .min(1)
      .default(["ES256", "RS256", "EdDSA", "PS256"])
      .describe("The accepted signature algorithms."),
    scopesClaim: claim
      .default("scope")
      .describe("The claim with the scopes: a string with spaces between them, or an array."),
    actorClaim: claim.default("sub").describe("The claim that identifies the caller."),
    requiredScopes: z.array(tokenScope).max(100).default([]).describe("Scopes that every token must have."),
    viewClaim: claim
      .optional()
      .describe("The claim with the caller's view. A token without it is rejected, unless `view` is set."),
    views: z
      .record(z.string().min(1).max(256), viewName)
      .optional()
      .describe("The view for each value of `viewClaim`; by default the value is the view's name."),
    view: viewName
      .optional()
      .describe("The view of callers whose token does not contain the claim named in `viewClaim`."),
  })
  .describe("Tokens of an authorization server: signed JSON Web Tokens (RFC 9068) issued for this gateway.");

export type OAuthOptions = z.output<typeof oauthOptions>;
