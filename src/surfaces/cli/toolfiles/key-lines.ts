import { type KeyPage, readableKeyId } from "../../../operations/toolfiles/key-page.js";
import type { OfferedSigningKey, SigningKeyState } from "../../../operations/toolfiles/keys.js";
import type { KnownKey } from "../../../toolfiles/keys/known-key.js";
import {
  BAD,
  blocks,
  bold,
  count,
  dim,
  GOOD,
  line,
  type Line,
  type Styled,
  verbatim,
  WARNING,
} from "../../../terminal/lines.js";

const MARKS: Readonly<Record<SigningKeyState, Styled>> = {
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

/** The date, and if it is today also the time. */
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
      return kind === "trusted" ? "trusted" : canSign ? "valid" : "valid; the private key is not on this machine";
    case "expiring":
      return `valid until ${until}`;
    case "expired":
      return `was valid until ${until}`;
    case "revoked":
      return `revoked ${shownTime(revoked, now)}`;
  }
}

export interface CreatedKeyLines {
  readonly key: KnownKey;
  readonly publicLine: string;
  readonly replaced: KnownKey | undefined;
  readonly now: number;
}

export function createdLines({ key: { keyId, name }, publicLine, replaced, now }: CreatedKeyLines): Line[] {
  const until = replaced?.notAfter === undefined ? "then" : shownTime(replaced.notAfter, now);
  return blocks([
    [line(0, GOOD, ` ${name} is your signing key now.`), line(2, `Fingerprint: ${readableKeyId(keyId)}`)],
    ["Others need this line to trust your tool files. It is not secret:", verbatim(2, publicLine)],
    replaced === undefined
      ? []
      : [
          `Your previous key ${replaced.keyId} is valid until ${until}.`,
          line(2, "Sign its files again before then with `anygpt mcp sign --all`."),
        ],
  ]);
}

export function offeredLines({ line: { name }, keyId, namesake }: OfferedSigningKey): Line[] {
  return [
    line(0, WARNING, " Files signed with this key can send data to servers and start programs:"),
    ...newKeyLines({ keyId, name, namesake: namesake?.keyId }),
    "Compare the fingerprint with the key's owner, who can see it with `anygpt mcp keys list`.",
  ];
}

export interface NewKeyLines {
  readonly keyId: string;
  readonly name: string;
  /** Id of another key with the same name. */
  readonly namesake?: string | undefined;
}

/** A key that the user is asked to trust. */
export function newKeyLines({ keyId, name, namesake }: NewKeyLines): Line[] {
  return [
    line(2, bold(name)),
    line(2, `key ${keyId}`),
    line(2, `fingerprint ${readableKeyId(keyId)}`),
    ...(namesake === undefined ? [] : [line(2, `Another key here has the same name: ${namesake}.`)]),
  ];
}

/** `files`: how many tool files the key has signed; undefined if unknown. */
export function revocationLines({ name, keyId, isOwn }: KnownKey, files: number | undefined): Line[] {
  return [
    line(0, WARNING, " ", bold(name), ` would be revoked permanently${isOwn ? "; it is your own key" : ""}:`),
    line(2, `fingerprint ${readableKeyId(keyId)}`),
    ...(files === undefined ? [] : [line(2, `${count(files, "tool file")} would no longer be used.`)]),
  ];
}
