// Comes in: the bytes of our own configuration, if there is one, and an adapter for it; goes out: its bytes with this added and
// nothing else changed.
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import { editText, readAll } from "../../../sources/rewrite/edit-text.js";
import { decodeText, encodeText } from "../../../sources/rewrite/encoded-text.js";

export interface NewAdapter {
  readonly name: string;
  readonly entry: JsonObject;
}

export interface ExtendParts {
  /** Undefined for a configuration that does not exist yet. */
  readonly bytes: Uint8Array | undefined;
  readonly format: "json" | "yaml";
  /** Our section of a file that other programs share, which must be `discovery`. */
  readonly isShared: boolean;
}

export type Extended =
  | { readonly kind: "extended"; readonly bytes: Uint8Array; readonly value: unknown }
  | { readonly kind: "refused"; readonly reason: string };

export async function extendAdapters({ name, entry }: NewAdapter, parts: ExtendParts): Promise<Extended> {
  const { bytes, format, isShared } = parts;
  const content = decodeText(bytes ?? new Uint8Array());
  const document = content === undefined ? undefined : await readAll(content.text, format);
  if (content === undefined || document === undefined) {
    return { kind: "refused", reason: "could not be read as a whole" };
  }
  const { value } = document;
  const isWrapped = isShared || (isJsonObject(value) && value["discovery"] !== undefined);
  const section = isWrapped && isJsonObject(value) ? value["discovery"] : value;
  const isList = isJsonObject(section) && Array.isArray(section["adapters"]);
  const result = await editText(content.text, format, [
    {
      container: [...(isWrapped ? ["discovery"] : []), "adapters"],
      kind: isList ? "list" : "map",
      remove: [],
      add: [{ key: name, value: isList ? { name, ...entry } : entry }],
    },
  ]);
  if (result.kind === "refused") return result;
  const after = await readAll(result.text, format);
  return { kind: "extended", bytes: encodeText({ ...content, text: result.text }), value: after?.value };
}
