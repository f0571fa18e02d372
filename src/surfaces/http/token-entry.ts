// Creates the configuration entry for a token: its hash and properties, never the token itself.
import { createHash } from "node:crypto";
import { DiscoveryError } from "../../errors.js";
import { type TokenEntry, tokensOptions } from "./token-options.js";

/** Matches tokens that are valid in the header `Authorization` and too long to be guessed. */
const TOKEN = /^[A-Za-z0-9._~+/-]{32,512}=*$/;
/** A prefix by which people and secret scanners recognize a token. */
const PREFIX = "agt_";
export const TOKEN_BYTES = 32;

export function toToken(random: Uint8Array): string {
  return `${PREFIX}${Buffer.from(random).toString("base64url")}`;
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export function hashToken(token: string): string {
  return `sha256:${createHash("sha256").update(token).digest("hex")}`;
}

export interface TokenProperties {
  readonly name: string;
  readonly token: string;
  readonly scopes: readonly string[];
  readonly view?: string | undefined;
  readonly expires?: string | undefined;
}

/** Creates the configuration entry. Throws an error that lists the invalid properties by their configuration keys. */
export function toTokenEntry({ name, token, scopes, view, expires }: TokenProperties): TokenEntry {
  const entry = { name, hash: hashToken(token), scopes: [...new Set(scopes)], view, expires };
  const plain = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
  const parsed = tokensOptions.safeParse([plain]);
  const [known] = parsed.data ?? [];
  if (known !== undefined) return known;
  const problems = parsed.error?.issues.map(({ path, message }) => `${path.slice(1).join(".")}: ${message}`) ?? [];
  throw new DiscoveryError("INVALID_REQUEST", `The properties of the token are invalid: ${problems.join("; ")}.`, {
    hint: "No token was created. Correct these properties and run the command again.",
  });
}

const SPAN = /^(\d{1,5})([hdw])$/;
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses a duration from now (`30d`, `12h`, `4w`) or a point in time. */
export function toExpiry(text: string, now: number): string {
  const [, amount, unit = ""] = SPAN.exec(text) ?? [];
  const span = UNIT_MS[unit];
  const time = amount === undefined || span === undefined ? Date.parse(text) : now + Number(amount) * span;
  if (Number.isNaN(time) || time <= now) {
    throw new DiscoveryError("INVALID_REQUEST", `The expiry "${text}" is not a time in the future.`, {
      hint: "Write 30d, 12h or 4w, or a time such as 2027-01-31T00:00:00Z.",
    });
  }
  return new Date(time).toISOString();
}
