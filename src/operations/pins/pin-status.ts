import type { JsonObject } from "../../model/json.js";
import type { Pin } from "../../store/pins.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { sha256 } from "../../util/sha256.js";
import { definitionDifference, type MemberChange } from "./definition-difference.js";

/** A pinned tool: its current definition, compared with the approved one. */
export interface PinStatus {
  readonly server: string;
  readonly tool: string;
  readonly state: "same" | "changed" | "new";
  /** The hash of the current definition. */
  readonly hash: string;
  /** The hash of the approved definition, if it differs from the current one. */
  readonly approvedHash?: string;
  readonly firstSeen: string;
  readonly changed?: string;
  readonly approved?: string;
  /** Absent if the gateway approved the definition automatically, because it was the first one. */
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

/** The status of a pin, and how the current definition differs from the approved one. */
export function toPinDifference(pin: Pin): PinStatus & { readonly changes: readonly MemberChange[] } {
  const approved = pin.approved === undefined ? {} : toDefinition(pin.approved.definition);
  return { ...toPinStatus(pin), changes: definitionDifference(approved, toDefinition(pin.current.definition)) };
}

/** Identifies exactly these definitions: the hash of a single definition, or a hash of all hashes. */
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
