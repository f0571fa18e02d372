import { isJsonObject, type JsonObject } from "../../model/json.js";
import { attempt } from "../refuse.js";
import type { References } from "../references.js";

/** The example that stands next to a schema: `example`, or the first value of `examples` (a list or a map). */
export function exampleOf(media: JsonObject, references: References): unknown {
  const { example, examples } = media;
  if (example !== undefined) return example;
  const first: unknown = isJsonObject(examples)
    ? Object.values(examples)[0]
    : Array.isArray(examples)
      ? examples[0]
      : undefined;
  if (!isJsonObject(examples)) return first;
  const found = attempt(() => ({ value: references.follow(first) }));
  return "refusal" in found || !isJsonObject(found.value) ? undefined : found.value["value"];
}
