import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import type { Credential } from "../../upstreams/oauth/credential.js";
import { loginCommand } from "../../upstreams/oauth/failures.js";
import { interrupted } from "../../util/interrupted.js";
import { describeSpan } from "../../util/time-words.js";
import type { OpenSignIn } from "./sign-in.js";

export interface AnswerOptions {
  readonly server: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** The input stream into which the user may paste the URL that the browser was redirected to. */
  readonly pasted?: Readable | undefined;
  /** Called for a pasted line that is not the redirect URL of this sign-in. */
  readonly onOtherLine: () => void;
}

/** Waits until the browser is redirected to the local port, or until the user pastes the redirect URL. */
export async function awaitAnswer({ login, answer }: OpenSignIn, options: AnswerOptions): Promise<URLSearchParams> {
  const { server, limitMs, signal, pasted, onOtherLine } = options;
  const over = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(tooLate(server, limitMs)), limitMs);
    over.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    signal.addEventListener("abort", () => reject(interrupted()), { once: true, signal: over.signal });
  });
  const typed = pasted === undefined ? [] : [readPasted(pasted, login.matches, onOtherLine, over.signal)];
  try {
    return await Promise.race([answer, late, ...typed]);
  } finally {
    over.abort();
  }
}

/**
 * Reads the redirect URL from the input. Stays pending if the input ends, because the browser may still be redirected.
 */
function readPasted(
  input: Readable,
  matches: (answer: URLSearchParams) => boolean,
  onOtherLine: () => void,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  return new Promise((resolve) => {
    const lines = createInterface({ input });
    signal.addEventListener("abort", () => lines.close(), { once: true });
    lines.on("line", (line) => {
      const text = line.trim();
      const answer = URL.canParse(text) ? new URL(text).searchParams : undefined;
      if (answer !== undefined && matches(answer)) return resolve(answer);
      if (text !== "") onOtherLine();
    });
  });
}

function tooLate(server: string, limitMs: number): DiscoveryError {
  const message = `The sign-in to ${server} was not completed within ${describeSpan(limitMs)}.`;
  const hint = `Run \`${loginCommand({ server })}\` again.`;
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", message, { hint, server });
}

/** A new sign-in as JSON, without its tokens. */
export function toSignInJson(
  server: string,
  actor: string,
  { issuer, scope, expiresAt, refreshToken }: Credential,
): JsonObject {
  return {
    server,
    actor,
    state: "signed_in",
    issuer,
    scopes: scope?.split(" ") ?? [],
    ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    renews: refreshToken !== undefined,
  };
}
