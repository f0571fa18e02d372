// Converts the names of a server's tools to tool ids, which are file names. Reads no folder.
import { sha256 } from "../../util/sha256.js";
import { isToolId, MAX_TOOL_ID_LENGTH } from "./tool-id.js";

export interface TakenIds {
  /** Ids of the server's tools that already have a file, by tool name. They are kept. */
  readonly own?: ReadonlyMap<string, string>;
  /** Ids that tools of other servers use. */
  readonly others?: ReadonlySet<string>;
}

const MIN_HASH_LENGTH = 8;

/**
 * Returns an id for each tool: `{server}_{tool}` in snake case. Ids are unique, valid file names, and independent of
 * the order of the names. A hash of the name is appended if this form would be too long or empty, would lose letters of
 * the name, or is already used. If several tools have the same form, only a tool whose name is exactly this form gets
 * it without a hash.
 */
export function toToolIds(server: string, toolNames: readonly string[], taken: TakenIds = {}): Map<string, string> {
  const ids = new Map<string, string>();
  const used = new Set([...(taken.own?.values() ?? []), ...(taken.others ?? [])]);
  const fresh: string[] = [];
  for (const name of new Set(toolNames)) {
    const known = taken.own?.get(name);
    if (known === undefined) fresh.push(name);
    else ids.set(name, known);
  }
  const prefix = toSnake(server);
  const hashed: string[] = [];
  for (const [plain, names] of groupBy(fresh, (name) => `${prefix}_${toSnake(name)}`)) {
    const owner = ownerOf(plain, names, prefix);
    const mayHave = owner !== undefined && isToolId(plain) && !used.has(plain);
    if (mayHave) ids.set(owner, plain);
    for (const name of names) if (!mayHave || name !== owner) hashed.push(name);
  }
  for (const id of ids.values()) used.add(id);
  for (const name of hashed.sort()) {
    const id = withHash(prefix, name, used);
    ids.set(name, id);
    used.add(id);
  }
  return new Map(toolNames.map((name) => [name, ids.get(name) ?? ""]));
}

/**
 * The tool that gets the id without a hash. Undefined if several tools have this id and none has exactly this name, or
 * if the id would lose letters of the name.
 */
function ownerOf(plain: string, names: readonly string[], prefix: string): string | undefined {
  const exact = names.find((name) => `${prefix}_${name}` === plain);
  const [only, ...others] = names;
  const owner = exact ?? (others.length === 0 ? only : undefined);
  return owner === undefined || toSnake(owner) === "" || isLossy(owner) ? undefined : owner;
}

function withHash(prefix: string, name: string, used: ReadonlySet<string>): string {
  const hash = sha256(name);
  for (let length = MIN_HASH_LENGTH; ; length += 1) {
    // Only names that were made to collide exhaust the whole hash.
    const suffix = length <= hash.length ? hash.slice(0, length) : sha256(`${length} ${name}`).slice(0, 32);
    const words = [prefix, toSnake(name)].filter((word) => word !== "").join("_");
    const id = `${words.slice(0, MAX_TOOL_ID_LENGTH - suffix.length - 1).replace(/_+$/, "")}_${suffix}`;
    if (!used.has(id)) return id;
  }
}

/** Converts names such as `resolve-library-id`, `getHTTPPage` and `Café.open` to snake case. */
export function toSnake(text: string): string {
  return toPlain(text.slice(0, 400))
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

/** Whether converting to snake case loses more than punctuation. */
function isLossy(text: string): boolean {
  return text.length > 400 || /[^ -~]/.test(toPlain(text));
}

function toPlain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}+/gu, "");
}

function groupBy(names: readonly string[], keyOf: (name: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const key = keyOf(name);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [name]);
    else group.push(name);
  }
  return groups;
}
