import type { Surface } from "../model/actor.js";

interface Words {
  readonly confirmed: string;
  readonly key: string;
}

/** How the two things that a call may lack are written where the caller is. */
const WORDS: Readonly<Record<Surface, Words>> = {
  mcp: { confirmed: "options.confirmed: true", key: "options.idempotency_key" },
  http: { confirmed: "the header X-AnyGPT-Confirmed: true", key: "the header Idempotency-Key" },
  cli: { confirmed: "--confirmed", key: "--idempotency-key KEY" },
  library: { confirmed: "confirmed: true", key: "idempotencyKey" },
};

/** Models make up a new key for every attempt unless they are told not to. */
export function keyHint(surface: Surface): string {
  return `Pass ${WORDS[surface].key} with a new value, and the same value again when you repeat this call.`;
}

/** Who answers: the client's person in a dialogue, a person at the gateway, or the caller itself. */
export type Answerer = "client" | "person" | "caller";

/** What to do about a question that waits, once it has an id. */
export function confirmationHint(answerer: Answerer, id: string, surface: Surface): string {
  const wait = `Ask your person to look at it with "anygpt mcp approve ${id}", then repeat the same call unchanged.`;
  if (answerer !== "caller") return wait;
  if (surface === "cli") return "To run it, repeat the same call unchanged with --confirmed, or with --yes.";
  return `If your person wants it, repeat the same call unchanged with ${WORDS[surface].confirmed}.`;
}
