import { isJsonObject, type JsonObject } from "../model/json.js";
import { isEqualJson } from "../util/json/is-equal.js";

const MAX_POINTERS = 20;
const MAX_DEPTH = 8;
/** Members of a tool definition that the MCP specification defines. */
const MEMBERS = new Set([
  "name",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "icons",
  "execution",
  "_meta",
]);

/**
 * Returns JSON pointers to the differences. The pointers are shown to agents, so they must not contain names that the
 * server chose: for an added member, the pointer refers to its parent. The empty pointer refers to the whole
 * definition.
 */
export function differingPointers(before: JsonObject, after: JsonObject): readonly string[] {
  const found = new Set<string>();
  for (const name of Object.keys(after)) {
    if (!Object.hasOwn(before, name)) found.add(MEMBERS.has(name) ? `/${name}` : "");
  }
  collect(before, after, { pointer: "", depth: 0, found });
  return [...found].sort().slice(0, MAX_POINTERS);
}

interface Walk {
  readonly pointer: string;
  readonly depth: number;
  readonly found: Set<string>;
}

function collect(before: unknown, after: unknown, { pointer, depth, found }: Walk): void {
  if (found.size >= MAX_POINTERS || isEqualJson(before, after)) return;
  const inside = depth < MAX_DEPTH ? membersOf(before, after) : undefined;
  if (inside === undefined) {
    found.add(pointer);
    return;
  }
  const [old, now] = inside;
  if (depth > 0 && Object.keys(now).some((name) => !Object.hasOwn(old, name))) found.add(pointer);
  for (const [name, value] of Object.entries(old)) {
    const step = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (Object.hasOwn(now, name)) collect(value, now[name], { pointer: step, depth: depth + 1, found });
    else found.add(step);
  }
}

/** Returns the members of both values by name, if both are objects or both are lists. */
function membersOf(before: unknown, after: unknown): readonly [JsonObject, JsonObject] | undefined {
  if (isJsonObject(before) && isJsonObject(after)) return [before, after];
  if (Array.isArray(before) && Array.isArray(after)) return [byIndex(before), byIndex(after)];
  return undefined;
}

function byIndex(list: readonly unknown[]): JsonObject {
  return Object.fromEntries(Object.entries(list));
}
