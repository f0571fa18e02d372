import type { JsonObject } from "../../../model/json.js";
import type { Pin } from "../../../store/pins.js";
import { canonicalJson } from "../../../util/json/canonical.js";
import { sha256 } from "../../../util/sha256.js";
import { definitionDifference, type MemberChange } from "./definition-difference.js";

/** One pin as people and programs see it. */
export interface PinPage {
  readonly server: string;
  readonly tool: string;
  readonly state: "same" | "changed" | "new";
  /** Of what the server says now. */
  readonly hash: string;
  /** Of what is approved, when that is something else. */
  readonly approvedHash?: string;
  readonly firstSeen: string;
  readonly changed?: string;
  readonly approved?: string;
  /** Absent when it is approved because it was seen first. */
  readonly approvedBy?: string;
}

export function toPinPage(pin: Pin): PinPage {
  const { server, tool, current, approved, approvedAt, approvedBy } = pin;
  return {
    server,
    tool,
    state: stateOf(pin),
    hash: current.hash,
    ...(approved === undefined || pin.isApproved ? {} : { approvedHash: approved.hash }),
    firstSeen: time(pin.firstSeenAt),
    ...(pin.changedAt === pin.firstSeenAt ? {} : { changed: time(pin.changedAt) }),
    ...(approvedAt === undefined ? {} : { approved: time(approvedAt) }),
    ...(approvedBy === undefined ? {} : { approvedBy }),
  };
}

/** The same with every place where the definition differs from the approved one. */
export function toDifferencePage(pin: Pin): PinPage & { readonly changes: readonly MemberChange[] } {
  const approved = pin.approved === undefined ? {} : toDefinition(pin.approved.definition);
  return { ...toPinPage(pin), changes: definitionDifference(approved, toDefinition(pin.current.definition)) };
}

/** What names exactly these definitions: of one tool its hash, of several the hash of theirs. */
export function hashOf(pins: readonly Pin[]): string {
  const [first, ...others] = pins;
  if (first !== undefined && others.length === 0) return first.current.hash;
  return sha256(canonicalJson(pins.map(({ server, tool, current }) => [server, tool, current.hash])));
}

function stateOf({ isApproved, approved }: Pin): PinPage["state"] {
  return isApproved ? "same" : approved === undefined ? "new" : "changed";
}

function toDefinition(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

function time(at: number): string {
  return new Date(at).toISOString();
}
