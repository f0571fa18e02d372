// Applies changes to the bytes of a configuration file and keeps everything else. Every edit of a configuration file
// uses this module.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";
import { identity } from "../merge.js";
import type { Change } from "./change.js";
import { editText, parseWhole } from "./edit-text.js";
import { decodeText, encodeText } from "./encoded-text.js";

export interface ConfigContent {
  /** The content of the file; undefined if the configuration does not exist yet. */
  readonly bytes: Uint8Array | undefined;
  readonly format: "json" | "yaml";
  /** Whether other programs share the file. If so, the gateway's configuration must be in its section `discovery`. */
  readonly isShared: boolean;
}

/** The gateway's configuration inside a file. */
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
  const document = content === undefined ? undefined : await parseWhole(content.text, format);
  if (content === undefined || document === undefined) {
    return { kind: "refused", reason: "is not valid" };
  }
  const result = await editText(content.text, format, toChanges(viewOf(document.value, isShared)));
  if (result.kind === "refused") return result;
  const after = await parseWhole(result.text, format);
  return { kind: "edited", bytes: encodeText({ ...content, text: result.text }), value: after?.value };
}

function viewOf(value: unknown, isShared: boolean): ConfigView {
  const whole = isJsonObject(value) ? value : {};
  const inner = whole["discovery"];
  if (!isShared && inner === undefined) return { path: [], value: whole };
  return { path: ["discovery"], value: isJsonObject(inner) ? inner : {} };
}

/** A configuration section with named members: a map by name, or a list of entries with `name`. */
export type NamedSection = "servers" | "adapters";

/** A member of a `NamedSection`, in the form that it has in a map. */
export interface NamedMember {
  readonly name: string;
  readonly entry: JsonObject;
}

/** The key under which the file contains the section, such as `servers` or `mcpServers`. */
function keyOf({ value }: ConfigView, section: NamedSection): string {
  return section === "servers" && isJsonObjectOrList(value["mcpServers"]) ? "mcpServers" : section;
}

function isJsonObjectOrList(value: unknown): boolean {
  return isJsonObject(value) || Array.isArray(value);
}

/** Removes and adds members of a section. Added members take the position of the first removed one. */
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

/** Sets one key of a member; removes the key if the value is undefined. */
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

/** Adds a key that the configuration does not have yet. */
export function addKey(view: ConfigView, key: string, value: string): Change {
  return { container: view.path, kind: "map", remove: [], add: [{ key, value }] };
}

/** The key (map) or position (list) of a member in its section. */
function positionOf(view: ConfigView, section: NamedSection, name: string): string | number | undefined {
  const members = view.value[keyOf(view, section)];
  const isNamed = (written: unknown): boolean => typeof written === "string" && identity(written) === identity(name);
  if (isJsonObject(members)) return Object.keys(members).find(isNamed);
  if (!Array.isArray(members)) return undefined;
  const index = members.findIndex((member) => isJsonObject(member) && isNamed(member["name"]));
  return index === -1 ? undefined : index;
}
