import { toKeyLine } from "../../../toolfiles/keys/key-line.js";
import { type KnownKey, standingOf } from "../../../toolfiles/keys/known-key.js";
import { BAD, bold, dim, GOOD, line, type Line, type Styled, WARNING } from "../lines.js";

export type KeyState = "active" | "good" | "expiring" | "expired" | "revoked";

export interface KeyPage {
  readonly key_id: string;
  readonly name: string;
  readonly fingerprint: string;
  readonly kind: "own" | "trusted";
  readonly state: KeyState;
  readonly can_sign: boolean;
  readonly since: string;
  readonly not_after?: string;
  readonly revoked_at?: string;
  readonly public_key: string;
}

export interface Moment {
  readonly now: number;
  /** The key that signs. */
  readonly active: string | undefined;
}

/** One key as people and programs see it. */
export function toKeyPage(key: KnownKey, moment: Moment): KeyPage {
  const { keyId, name, isOwn, canSign, trustedAt, notAfter, revokedAt } = key;
  return {
    key_id: keyId,
    name,
    fingerprint: fingerprintOf(keyId),
    kind: isOwn ? "own" : "trusted",
    state: stateOf(key, moment),
    can_sign: canSign,
    since: trustedAt,
    ...(notAfter === undefined ? {} : { not_after: notAfter }),
    ...(revokedAt === undefined ? {} : { revoked_at: revokedAt }),
    public_key: toKeyLine(key),
  };
}

/** The id in groups that two people can read to each other. */
export function fingerprintOf(keyId: string): string {
  return (keyId.match(/.{1,4}/g) ?? []).join(" ");
}

function stateOf(key: KnownKey, { now, active }: Moment): KeyState {
  const standing = standingOf(key, now);
  if (standing !== "good") return standing;
  if (key.notAfter !== undefined) return "expiring";
  return key.keyId === active ? "active" : "good";
}

const MARKS: Readonly<Record<KeyState, Styled>> = {
  active: GOOD,
  good: GOOD,
  expiring: WARNING,
  expired: BAD,
  revoked: BAD,
};

export function keyLines(page: KeyPage, now: number): Line[] {
  const { key_id: keyId, name, state, kind, fingerprint } = page;
  const what = state === "revoked" ? "revoked key" : kind === "own" ? "own key" : "trusted key";
  return [
    line(0, MARKS[state], " ", bold(name), ` - ${describeState(page, now)}`),
    line(2, dim(`${what} ${keyId}`)),
    line(2, dim(`fingerprint ${fingerprint}`)),
  ];
}

/** The day; of today the minute too. */
export function shownTime(time: string, now: number): string {
  const day = time.slice(0, 10);
  return day === new Date(now).toISOString().slice(0, 10) ? `${day} ${time.slice(11, 16)} UTC` : day;
}

function describeState(page: KeyPage, now: number): string {
  const { state, kind, can_sign: canSign, not_after: end = "", revoked_at: revoked = "" } = page;
  const until = shownTime(end, now);
  switch (state) {
    case "active":
      return "signs your tool files";
    case "good":
      return kind === "trusted" ? "trusted" : canSign ? "good" : "good; its private half is not here";
    case "expiring":
      return `good until ${until}`;
    case "expired":
      return `was good until ${until}`;
    case "revoked":
      return `revoked ${shownTime(revoked, now)}`;
  }
}
