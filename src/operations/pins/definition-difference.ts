import { isJsonObject, type JsonObject } from "../../model/json.js";
import { isEqualJson } from "../../util/json/is-equal.js";

/** A JSON member that differs between two definitions of a tool. */
export interface MemberChange {
  /** JSON Pointer to the member. */
  readonly path: string;
  /** Absent if the member was added. */
  readonly before?: unknown;
  /** Absent if the member was removed. */
  readonly after?: unknown;
}

/** Lists the members that differ between two tool definitions. Compares objects and arrays member by member. */
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
  if (Array.isArray(before) && Array.isArray(after)) return membersChanged(byIndex(before), byIndex(after), path);
  return [{ path, before, after }];
}

function byIndex(list: readonly unknown[]): JsonObject {
  return Object.fromEntries(Object.entries(list));
}
