import type { JsonObject } from "../../model/json.js";
import type { Pin } from "../../store/pins.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { sha256 } from "../../util/sha256.js";
import { definitionDifference, type MemberChange } from "./definition-difference.js";

/** One pinned definition: what the server states now, compared with what was approved. */
export interface PinStatus {
  readonly server: string;
  readonly tool: string;
  readonly state: "same" | "changed" | "new";
  /** Of the definition that the server has now. */
  readonly hash: string;
  /** Of the approved definition, if it differs. */
  readonly approvedHash?: string;
  readonly firstSeen: string;
  readonly changed?: string;
  readonly approved?: string;
  /** Absent when it is approved because it was seen first. */
  readonly approvedBy?: string;
}

export function toPinStatus(pin: Pin): PinStatus {
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
export function toPinDifference(pin: Pin): PinStatus & { readonly changes: readonly MemberChange[] } {
  const approved = pin.approved === undefined ? {} : toDefinition(pin.approved.definition);
  return { ...toPinStatus(pin), changes: definitionDifference(approved, toDefinition(pin.current.definition)) };
}

/** Identifies exactly these definitions: of one tool its hash, of several a hash over theirs. */
export function pinsHash(pins: readonly Pin[]): string {
  const [first, ...others] = pins;
  if (first !== undefined && others.length === 0) return first.current.hash;
  return sha256(canonicalJson(pins.map(({ server, tool, current }) => [server, tool, current.hash])));
}

function stateOf({ isApproved, approved }: Pin): PinStatus["state"] {
  return isApproved ? "same" : approved === undefined ? "new" : "changed";
}

function toDefinition(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

function time(at: number): string {
  return new Date(at).toISOString();
}
