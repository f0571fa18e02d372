import { isJsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";
import { isEqualJson } from "../../util/json/is-equal.js";

/** A change of one map or list in a document. */
export interface Change {
  readonly container: Path;
  readonly kind: "map" | "list";
  /** What to remove: keys of a map, or positions in a list before the change. */
  readonly remove: readonly (string | number)[];
  readonly add: readonly TextMember[];
  /** Set to also remove the comment lines directly above a removed member. */
  readonly takesComments?: true;
}

/** A member to add to a map or list; in a list the key is not written. */
export interface TextMember {
  readonly key: string;
  readonly value: unknown;
}

/**
 * The result of an edit: the new text, or the reason why the text cannot be edited. In the second case nothing may be
 * written.
 */
export type TextEdit =
  | { readonly kind: "edited"; readonly text: string }
  | { readonly kind: "refused"; readonly reason: string };

export function refused(reason: string): TextEdit & { kind: "refused" } {
  return { kind: "refused", reason };
}

export function edited(text: string): TextEdit {
  return { kind: "edited", text };
}

/** Applies the change to the parsed document: the edited text must parse to this value. */
export function applyChange(document: unknown, change: Change): unknown {
  const [key, ...rest] = change.container;
  if (key === undefined) return changeContainer(document, change);
  const inner = { ...change, container: rest };
  if (Array.isArray(document)) return document.map((item, index) => (index === key ? applyChange(item, inner) : item));
  const map = isJsonObject(document) ? document : {};
  return { ...map, [key]: applyChange(map[key], inner) };
}

function changeContainer(value: unknown, { kind, remove, add }: Change): unknown {
  if (kind === "list") {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return [...list.filter((_, index) => !remove.includes(index)), ...add.map((member) => member.value)];
  }
  const map = isJsonObject(value) ? value : {};
  const kept = Object.entries(map).filter(([key]) => !remove.includes(key));
  return Object.fromEntries([...kept, ...add.map((member) => [member.key, member.value])]);
}

/**
 * Compares two documents; the order in a changed list does not matter, and an empty map or list equals a missing one.
 */
export function isSameDocument(left: unknown, right: unknown, changes: readonly Change[]): boolean {
  const compared = (document: unknown): unknown => changes.reduce(withComparable, document);
  return isEqualJson(compared(left), compared(right));
}

function withComparable(document: unknown, { container }: Pick<Change, "container">): unknown {
  const [key, ...rest] = container;
  if (key === undefined) return comparable(document);
  if (!isJsonObject(document)) return document;
  const inner = withComparable(document[key], { container: rest });
  const { [key]: _replaced, ...others } = document;
  return inner === undefined ? others : { ...others, [key]: inner };
}

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => JSON.stringify(item)).sort();
  return isJsonObject(value) && Object.keys(value).length === 0 ? undefined : (value ?? undefined);
}
