// Comes in: the bytes of our own configuration, if there is one, and what is to change in it; goes out: its bytes with exactly
// that changed. Every edit of a configuration goes through here.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";
import { identity } from "../merge.js";
import type { Change } from "./change.js";
import { editText, readAll } from "./edit-text.js";
import { decodeText, encodeText } from "./encoded-text.js";

export interface ConfigContent {
  /** Undefined for a configuration that does not exist yet. */
  readonly bytes: Uint8Array | undefined;
  readonly format: "json" | "yaml";
  /** Our section of a file that other programs share, which must be `discovery`. */
  readonly isShared: boolean;
}

/** Our section as the file has it. */
export interface ConfigView {
  readonly path: Path;
  readonly value: JsonObject;
}

export type EditedConfig =
  | { readonly kind: "edited"; readonly bytes: Uint8Array; readonly value: unknown }
  | { readonly kind: "refused"; readonly reason: string };

export async function editConfig(
  { bytes, format, isShared }: ConfigContent,
  toChanges: (view: ConfigView) => readonly Change[],
): Promise<EditedConfig> {
  const content = decodeText(bytes ?? new Uint8Array());
  const document = content === undefined ? undefined : await readAll(content.text, format);
  if (content === undefined || document === undefined) {
    return { kind: "refused", reason: "could not be read as a whole" };
  }
  const result = await editText(content.text, format, toChanges(viewOf(document.value, isShared)));
  if (result.kind === "refused") return result;
  const after = await readAll(result.text, format);
  return { kind: "edited", bytes: encodeText({ ...content, text: result.text }), value: after?.value };
}

function viewOf(value: unknown, isShared: boolean): ConfigView {
  const whole = isJsonObject(value) ? value : {};
  const inner = whole["discovery"];
  if (!isShared && inner === undefined) return { path: [], value: whole };
  return { path: ["discovery"], value: isJsonObject(inner) ? inner : {} };
}

/** A section whose members have names: a map by name, or a list of entries with `name`. */
export type NamedSection = "servers" | "adapters";

/** A member of such a section, as it is written in a map. */
export interface NamedMember {
  readonly name: string;
  readonly entry: JsonObject;
}

/** The key that the file has for a section. */
function keyOf({ value }: ConfigView, section: NamedSection): string {
  return section === "servers" && isJsonObjectOrList(value["mcpServers"]) ? "mcpServers" : section;
}

function isJsonObjectOrList(value: unknown): boolean {
  return isJsonObject(value) || Array.isArray(value);
}

/** Removes and adds members of a section. What is added takes the place of the first that goes. */
export function changeMembers(
  view: ConfigView,
  section: NamedSection,
  { remove = [], add = [] }: { readonly remove?: readonly string[]; readonly add?: readonly NamedMember[] },
): Change {
  const key = keyOf(view, section);
  const isList = Array.isArray(view.value[key]);
  return {
    container: [...view.path, key],
    kind: isList ? "list" : "map",
    remove: remove.flatMap((name) => positionOf(view, section, name) ?? []),
    add: add.map(({ name, entry }) => ({ key: name, value: isList ? { name, ...entry } : entry })),
    takesComments: true,
  };
}

/** Sets one key of a member, or takes it out where the value is undefined. */
export function setMemberKey(
  view: ConfigView,
  section: NamedSection,
  { name, key, value }: { readonly name: string; readonly key: string; readonly value: boolean | undefined },
): Change[] {
  const position = positionOf(view, section, name);
  if (position === undefined) return [];
  const container = [...view.path, keyOf(view, section), position];
  const add = value === undefined ? [] : [{ key, value }];
  return [{ container, kind: "map", remove: [key], add }];
}

/** Sets a key of our section that is not there yet. */
export function addKey(view: ConfigView, key: string, value: string): Change {
  return { container: view.path, kind: "map", remove: [], add: [{ key, value }] };
}

/** Where a member stands in its section: a key of a map, or a position in a list. */
function positionOf(view: ConfigView, section: NamedSection, name: string): string | number | undefined {
  const members = view.value[keyOf(view, section)];
  const isNamed = (written: unknown): boolean => typeof written === "string" && identity(written) === identity(name);
  if (isJsonObject(members)) return Object.keys(members).find(isNamed);
  if (!Array.isArray(members)) return undefined;
  const index = members.findIndex((member) => isJsonObject(member) && isNamed(member["name"]));
  return index === -1 ? undefined : index;
}
