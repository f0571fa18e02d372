import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";

/** What is to be done to one map or list of a document. */
export interface Change {
  readonly container: Path;
  readonly kind: "map" | "list";
  /** Keys of a map or positions in a list, as they are before the change. */
  readonly remove: readonly (string | number)[];
  readonly add: readonly Member[];
  /** A comment on the lines directly above a member goes with it. */
  readonly takesComments?: true;
}

/** A member of a map under its key; in a list the key is not written. */
export interface Member {
  readonly key: string;
  readonly value: unknown;
}

/** A new text, or why there is none: then nothing may be written. */
export type Edited =
  | { readonly kind: "edited"; readonly text: string }
  | { readonly kind: "refused"; readonly reason: string };

export function refused(reason: string): Edited & { kind: "refused" } {
  return { kind: "refused", reason };
}

export function edited(text: string): Edited {
  return { kind: "edited", text };
}

/** The document with the change made to its data: what the edited text must amount to. */
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

/** Whether two documents say the same; members of a changed list may stand in another order, and an empty one may be left out. */
export function isSameDocument(left: unknown, right: unknown, changes: readonly Change[]): boolean {
  const compared = (document: unknown): unknown => changes.reduce(withComparable, document);
  return isDeepStrictEqual(compared(left), compared(right));
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
