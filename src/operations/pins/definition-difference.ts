import { isJsonObject, type JsonObject } from "../../model/json.js";
import { isEqualJson } from "../../util/json/is-equal.js";

/** One place where two definitions differ. */
export interface MemberChange {
  /** JSON pointer. */
  readonly path: string;
  /** Absent: it was added. */
  readonly before?: unknown;
  /** Absent: it was removed. */
  readonly after?: unknown;
}

/** Every place, as deep down as both have the same shape. */
export function definitionDifference(before: JsonObject, after: JsonObject): MemberChange[] {
  return membersChanged(before, after, "");
}

function membersChanged(before: JsonObject, after: JsonObject, path: string): MemberChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const step = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!Object.hasOwn(after, name)) return [{ path: step, before: before[name] }];
    if (!Object.hasOwn(before, name)) return [{ path: step, after: after[name] }];
    return valueChanged(before[name], after[name], step);
  });
}

function valueChanged(before: unknown, after: unknown, path: string): MemberChange[] {
  if (isEqualJson(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) return membersChanged(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return membersChanged(byPlace(before), byPlace(after), path);
  return [{ path, before, after }];
}

function byPlace(list: readonly unknown[]): JsonObject {
  return Object.fromEntries(Object.entries(list));
}
