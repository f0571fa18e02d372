import { ERRORS } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import type { PolicyOptions } from "../../policy/options.js";
import type { NameOf } from "./parts.js";

interface Words {
  readonly policy: PolicyOptions;
  readonly nameOf: NameOf;
}

/** Topics about the gateway itself that agents can look up, by name. The texts depend on the configured policy. */
const CONCEPTS: Readonly<Record<string, (words: Words) => JsonObject>> = {
  idempotency: ({ policy: { idempotency }, nameOf }) => {
    const from = idempotency.requiredFrom.gateway;
    return {
      description:
        from === "never"
          ? "An idempotency key is never required, but always accepted."
          : `Calls of risk ${from} or more need options.idempotency_key.`,
      best_practices: [
        "Create a new key, such as a UUID, for each new call, and reuse it when you repeat that call.",
        "The same key with the same params returns the first answer again; the tool does not run twice.",
        "The same key with other params fails with IDEMPOTENCY_CONFLICT.",
        `The gateway stores keys for ${idempotency.ttlSeconds} s, per caller and tool.`,
      ],
      example: { tool: nameOf("execute"), options: { idempotency_key: "order-2071-charge" } },
    };
  },
  confirmation: ({ policy: { confirmation }, nameOf }) => ({
    description:
      confirmation.mode === "never"
        ? "No call needs a confirmation."
        : `Calls of risk ${confirmation.from} or more need a confirmation by the user.`,
    best_practices:
      confirmation.mode === "never"
        ? []
        : [
            "If the client supports elicitation, the gateway asks the user through it.",
            confirmation.mode === "auto"
              ? "Otherwise the call fails with CONFIRMATION_REQUIRED: ask your user, then repeat the same call with options.confirmed: true. The option has no effect on a first call."
              : 'Otherwise the user decides with "anygpt mcp approve ID"; then repeat the same call unchanged.',
            `A confirmation is valid for ${confirmation.ttlSeconds} s and for one call with the same tool and params.`,
          ],
    example: { tool: nameOf("execute"), options: { confirmed: true } },
  }),
  risk: () => ({
    description:
      "Each tool has a risk: low, medium, high or destructive. The first of these that says something decides: the policy, the tool file or the adapter, the server's annotations, then the name, the description and the HTTP request of the tool. If none does, the risk is high.",
  }),
  "dry run": ({ nameOf }) => ({
    description:
      "options.dry_run runs every check and reports what the call would do. It sends nothing and does not count towards limits.",
    example: { tool: nameOf("execute"), options: { dry_run: true } },
  }),
  "rate limits": () => ({
    description:
      "A call over the limit fails with RATE_LIMITED and retry_after_seconds. Rejected calls do not count towards the limit.",
  }),
  authentication: ({ nameOf }) => ({
    description: `The gateway adds the credentials to each call; do not pass any. ${nameOf("reference")} with an adapter as topic names the environment variables that the operator has to set.`,
  }),
  errors: () => ({
    description:
      "Every error has a code, a message and a hint. retryable says whether the same call can succeed later; executed says whether the tool ran.",
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

/** Finds a topic by its name. Case and separators are ignored. */
export function describeConcept(topic: string, words: Words): { name: string; content: JsonObject } | undefined {
  const key = topic.toLowerCase().replace(/[^a-z]+/g, "");
  const name = CONCEPT_NAMES.find((one) => one.replace(" ", "") === key) ?? ALIASES[key];
  const describe = name === undefined ? undefined : CONCEPTS[name];
  return name === undefined || describe === undefined ? undefined : { name, content: describe(words) };
}
