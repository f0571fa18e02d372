// Comes in: the bytes of our own configuration, if there is one, and servers with rules for it; goes out: its bytes with these
// added and nothing else changed. Refuses to know where they came from.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";
import type { FilterRule } from "../tool-rules.js";
import type { Change } from "./change.js";
import { editText, readAll } from "./edit-text.js";
import { decodeText, encodeText } from "./encoded-text.js";
import { writeJson } from "./json-value.js";

/** What comes into the configuration. */
export interface Additions {
  readonly servers: readonly { readonly name: string; readonly entry: JsonObject }[];
  readonly toolRules: readonly FilterRule[];
}

export interface ExtendParts extends Additions {
  /** Undefined for a configuration that does not exist yet. */
  readonly bytes: Uint8Array | undefined;
  readonly format: "json" | "yaml";
  /** Our section of a file that other programs share, which must be `discovery`. */
  readonly isShared: boolean;
}

export type Extended =
  | { readonly kind: "extended"; readonly bytes: Uint8Array; readonly value: unknown }
  | { readonly kind: "refused"; readonly reason: string };

export async function extendConfig(parts: ExtendParts): Promise<Extended> {
  const content = decodeText(parts.bytes ?? new Uint8Array());
  const document = content === undefined ? undefined : await readAll(content.text, parts.format);
  if (content === undefined || document === undefined)
    return { kind: "refused", reason: "could not be read as a whole" };
  const { value } = document;
  const isWrapped = parts.isShared || (isJsonObject(value) && value["discovery"] !== undefined);
  const section = isWrapped ? ["discovery"] : [];
  const result = await editText(content.text, parts.format, toChanges(parts, section, valueAt(value, section)));
  if (result.kind === "refused") return result;
  const after = await readAll(result.text, parts.format);
  return { kind: "extended", bytes: encodeText({ ...content, text: result.text }), value: after?.value };
}

/** What a person can put into a configuration that only they can edit. */
export function toSnippet({ servers, toolRules }: Additions): string {
  const map = Object.fromEntries(servers.map(({ name, entry }) => [name, entry]));
  const value = { servers: map, ...(toolRules.length === 0 ? {} : { toolRules }) };
  return writeJson(value, { step: "  ", layout: "lines" });
}

function toChanges({ servers, toolRules }: Additions, section: Path, value: unknown): Change[] {
  const isList = isJsonObject(value) && Array.isArray(value["servers"]);
  const added = servers.map(({ name, entry }) => ({ key: name, value: isList ? { name, ...entry } : entry }));
  const rules = toolRules.map((rule) => ({ key: "", value: { ...rule } }));
  const changes: Change[] = [
    { container: [...section, "servers"], kind: isList ? "list" : "map", remove: [], add: added },
    { container: [...section, "toolRules"], kind: "list", remove: [], add: rules },
  ];
  return changes.filter(({ add }) => add.length > 0);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((here, key) => (isJsonObject(here) ? here[key] : undefined), value);
}
