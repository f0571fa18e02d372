import { ERRORS } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import type { PolicyOptions } from "../../policy/options.js";
import type { NameOf } from "./parts.js";

interface Words {
  readonly policy: PolicyOptions;
  readonly nameOf: NameOf;
}

/** What the gateway itself does, under the words that one would ask with. What the policy says is told as it is in force. */
const CONCEPTS: Readonly<Record<string, (words: Words) => JsonObject>> = {
  idempotency: ({ policy: { idempotency }, nameOf }) => {
    const from = idempotency.requiredFrom.gateway;
    return {
      description:
        from === "never"
          ? "An idempotency key is never required, and always taken."
          : `Calls of risk ${from} or more need options.idempotency_key.`,
      best_practices: [
        "Make up one key per intention, such as a UUID, and reuse it when you repeat the same call.",
        "The same key with the same params gives the first answer again; nothing runs twice.",
        "Other params with the same key are an IDEMPOTENCY_CONFLICT.",
        `Keys are remembered for ${idempotency.ttlSeconds} s, per caller and tool.`,
      ],
      example: { tool: nameOf("execute"), options: { idempotency_key: "order-2071-charge" } },
    };
  },
  confirmation: ({ policy: { confirmation }, nameOf }) => ({
    description:
      confirmation.mode === "never"
        ? "No call has to be confirmed."
        : `Calls of risk ${confirmation.from} or more have to be confirmed.`,
    best_practices:
      confirmation.mode === "never"
        ? []
        : [
            "A client that can ask its user does so by itself.",
            confirmation.mode === "auto"
              ? "Otherwise CONFIRMATION_REQUIRED comes back: ask your user, then repeat the same call with options.confirmed: true. On a first call it counts for nothing."
              : 'Otherwise a person answers with "anygpt mcp approve ID"; then repeat the same call unchanged.',
            `A question waits ${confirmation.ttlSeconds} s and counts once, for the same tool and params.`,
          ],
    example: { tool: nameOf("execute"), options: { confirmed: true } },
  }),
  risk: () => ({
    description:
      "low, medium, high or destructive: from the policy, else the adapter, else the server's annotations, else the HTTP method; high when nobody says anything.",
  }),
  "dry run": ({ nameOf }) => ({
    description: "options.dry_run checks everything, sends nothing, uses up nothing and says what would happen.",
    example: { tool: nameOf("execute"), options: { dry_run: true } },
  }),
  "rate limits": () => ({
    description: "A call over the limit is RATE_LIMITED with retry_after_seconds; refused calls use up nothing.",
  }),
  authentication: ({ nameOf }) => ({
    description: `Credentials are the gateway's own business and never pass through you. ${nameOf("reference")} with an adapter names the variables that a person has to set.`,
  }),
  errors: () => ({
    description: "Every error has a code, a message, a hint, whether to retry, and whether the tool ran (executed).",
    common_errors: Object.entries(ERRORS).map(([code, { meaning, retryable }]) => ({
      code,
      meaning,
      ...(retryable ? { retryable } : {}),
    })),
  }),
};

const ALIASES: Readonly<Record<string, string>> = {
  idempotencykey: "idempotency",
  confirm: "confirmation",
  approval: "confirmation",
  error: "errors",
  errorcodes: "errors",
  risklevel: "risk",
  ratelimit: "rate limits",
  dryrun: "dry run",
  auth: "authentication",
};

export const CONCEPT_NAMES: readonly string[] = Object.keys(CONCEPTS);

/** Case and separators make no difference. */
export function describeConcept(topic: string, words: Words): { name: string; content: JsonObject } | undefined {
  const key = topic.toLowerCase().replace(/[^a-z]+/g, "");
  const name = CONCEPT_NAMES.find((one) => one.replace(" ", "") === key) ?? ALIASES[key];
  const describe = name === undefined ? undefined : CONCEPTS[name];
  return name === undefined || describe === undefined ? undefined : { name, content: describe(words) };
}
