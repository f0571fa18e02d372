import type { JsonObject } from "../../model/json.js";
import type { RestParameter } from "../../model/operation.js";
import type { DescribedParameter } from "../described.js";
import type { References } from "../references.js";
import { refuse } from "../refuse.js";
import { isHeaderName, isReservedHeader } from "../reserved-headers.js";
import { toPlainText } from "../text.js";
import { asList, asObject, asText } from "./dialect.js";
import { exampleOf } from "./media-example.js";

type Place = RestParameter["in"];
type Style = RestParameter["style"];

const STYLES: Readonly<Record<Place, readonly Style[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

/** The parameters of a path and of its operation, whose own count; each as the document writes it. */
export function mergeParameters(lists: readonly unknown[], references: References): JsonObject[] {
  const merged = new Map<string, JsonObject>();
  for (const raw of lists.flatMap(asList)) {
    const parameter = asObject(references.follow(raw));
    const { name, in: place } = parameter;
    if (typeof name !== "string" || typeof place !== "string" || name === "") continue;
    merged.set(JSON.stringify([place, name]), parameter);
  }
  return [...merged.values()];
}

/** Undefined for what is never an argument: bodies of 2.0, reserved headers, names that no request can carry. */
export function toParameter(raw: JsonObject, references: References): DescribedParameter | undefined {
  const name = String(raw["name"]);
  const place = placeOf(raw["in"]);
  if (place === undefined || !isSendable(place, name)) return undefined;
  const [mediaType, media] = Object.entries(asObject(raw["content"]))[0] ?? [];
  const isJson = mediaType !== undefined && /[/+]json\b/.test(mediaType);
  const schema = media === undefined ? (raw["schema"] ?? toPlainSchema(raw)) : asObject(media)["schema"];
  const description = toPlainText(raw["description"], 1_500);
  const example = exampleOf(media === undefined ? raw : asObject(media), references);
  return {
    name,
    in: place,
    ...styleOf(raw, place),
    isRequired: place === "path" || raw["required"] === true,
    isJson,
    allowsReserved: place === "query" && raw["allowReserved"] === true,
    isDeprecated: raw["deprecated"] === true,
    schema,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
  };
}

function placeOf(place: unknown): Place | undefined {
  return place === "path" || place === "query" || place === "header" || place === "cookie" ? place : undefined;
}

function isSendable(place: Place, name: string): boolean {
  if (place === "header") return isHeaderName(name) && !isReservedHeader(name);
  return place === "cookie" ? isHeaderName(name) : name.length <= 200 && name.isWellFormed() && !/\p{Cc}/u.test(name);
}

/** Of 2.0, where a parameter is its own schema. */
export function toPlainSchema(raw: JsonObject): JsonObject {
  const { in: _in, name: _name, required: _required, description: _description, ...schema } = raw;
  return schema;
}

function styleOf(raw: JsonObject, place: Place): Pick<DescribedParameter, "style" | "explode"> {
  const [usual = "simple"] = STYLES[place];
  if (raw["collectionFormat"] !== undefined) return collectionStyle(raw, usual);
  // Up to 2.0 lists are written with commas unless something else is said.
  if (raw["schema"] === undefined && raw["content"] === undefined && raw["style"] === undefined && "type" in raw) {
    return { style: usual, explode: false };
  }
  const style = STYLES[place].find((one) => one === raw["style"]) ?? usual;
  const explode = typeof raw["explode"] === "boolean" ? raw["explode"] : style === "form";
  return { style, explode: style === "deepObject" || explode };
}

/** How 2.0 writes a list. */
export function collectionStyle(raw: JsonObject, usual: Style): Pick<DescribedParameter, "style" | "explode"> {
  switch (raw["collectionFormat"]) {
    case "multi":
      return { style: usual, explode: usual === "form" };
    case "ssv":
      return { style: usual === "form" ? "spaceDelimited" : usual, explode: false };
    case "pipes":
      return { style: usual === "form" ? "pipeDelimited" : usual, explode: false };
    case "tsv":
      throw refuse(`has the parameter ${asText(raw["name"]) ?? ""}, which is separated by tabs`);
    default:
      return { style: usual, explode: false };
  }
}
