// A token comes in, the entry of the configuration that knows it goes out: its hash and what is said of it, never itself.
import { createHash } from "node:crypto";
import { DiscoveryError } from "../../errors.js";
import { type TokenEntry, tokensOptions } from "./token-options.js";

/** What `Authorization` can carry, and too much of it to be guessed. */
const TOKEN = /^[A-Za-z0-9._~+/-]{32,512}=*$/;
/** By which people and programs that look for leaked secrets know it. */
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

export interface EntryFacts {
  readonly name: string;
  readonly token: string;
  readonly scopes: readonly string[];
  readonly view?: string | undefined;
  readonly expires?: string | undefined;
}

/** Throws what is wrong with the facts, in the words of the configuration. */
export function toTokenEntry({ name, token, scopes, view, expires }: EntryFacts): TokenEntry {
  const entry = { name, hash: hashToken(token), scopes: [...new Set(scopes)], view, expires };
  const plain = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
  const parsed = tokensOptions.safeParse([plain]);
  const [known] = parsed.data ?? [];
  if (known !== undefined) return known;
  const faults = parsed.error?.issues.map(({ path, message }) => `${path.slice(1).join(".")}: ${message}`) ?? [];
  throw new DiscoveryError("INVALID_REQUEST", `There can be no such token: ${faults.join("; ")}.`, {
    hint: "Correct what is named and run the command again; nothing was made.",
  });
}

const SPAN = /^(\d{1,5})([hdw])$/;
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `30d`, `12h` and `4w` from now; anything else is taken for a time. */
export function toExpiry(text: string, now: number): string {
  const [, amount, unit = ""] = SPAN.exec(text) ?? [];
  const span = UNIT_MS[unit];
  const time = amount === undefined || span === undefined ? Date.parse(text) : now + Number(amount) * span;
  if (Number.isNaN(time) || time <= now) {
    throw new DiscoveryError("INVALID_REQUEST", `${text} is no time to come.`, {
      hint: "Write 30d, 12h or 4w, or a time such as 2027-01-31T00:00:00Z.",
    });
  }
  return new Date(time).toISOString();
}
