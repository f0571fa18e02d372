import type { JsonObject } from "../../model/json.js";
import type { RestParameter } from "../../model/operation.js";
import type { DescribedParameter } from "../described.js";
import type { References } from "../references.js";
import { unsupportedOperation } from "../refuse.js";
import { isValidHeaderName, isReservedHeader } from "../reserved-headers.js";
import { toPlainText } from "../text.js";
import { asList, asObject, asText } from "./dialect.js";
import { exampleOf } from "./media-example.js";

type Location = RestParameter["in"];
type Style = RestParameter["style"];

const STYLES: Readonly<Record<Location, readonly Style[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

/** Merges the parameters of a path item and of its operation; the operation's parameters take precedence. */
export function mergeParameters(lists: readonly unknown[], references: References): JsonObject[] {
  const merged = new Map<string, JsonObject>();
  for (const raw of lists.flatMap(asList)) {
    const parameter = asObject(references.follow(raw));
    const { name, in: location } = parameter;
    if (typeof name !== "string" || typeof location !== "string" || name === "") continue;
    merged.set(JSON.stringify([location, name]), parameter);
  }
  return [...merged.values()];
}

/**
 * Converts a parameter. Undefined for parameters that are never arguments: Swagger 2.0 bodies, reserved headers, and
 * names that cannot be sent in a request.
 */
export function toParameter(raw: JsonObject, references: References): DescribedParameter | undefined {
  const name = String(raw["name"]);
  const location = locationOf(raw["in"]);
  if (location === undefined || !isSendable(location, name)) return undefined;
  const [mediaType, media] = Object.entries(asObject(raw["content"]))[0] ?? [];
  const isJson = mediaType !== undefined && /[/+]json\b/.test(mediaType);
  const schema = media === undefined ? (raw["schema"] ?? toPlainSchema(raw)) : asObject(media)["schema"];
  const description = toPlainText(raw["description"], 1_500);
  const example = exampleOf(media === undefined ? raw : asObject(media), references);
  return {
    name,
    in: location,
    ...styleOf(raw, location),
    isRequired: location === "path" || raw["required"] === true,
    isJson,
    allowsReserved: location === "query" && raw["allowReserved"] === true,
    isDeprecated: raw["deprecated"] === true,
    schema,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
  };
}

function locationOf(value: unknown): Location | undefined {
  return value === "path" || value === "query" || value === "header" || value === "cookie" ? value : undefined;
}

function isSendable(location: Location, name: string): boolean {
  if (location === "header") return isValidHeaderName(name) && !isReservedHeader(name);
  return location === "cookie"
    ? isValidHeaderName(name)
    : name.length <= 200 && name.isWellFormed() && !/\p{Cc}/u.test(name);
}

/** The schema of a Swagger 2.0 parameter, whose keywords are in the parameter object itself. */
export function toPlainSchema(raw: JsonObject): JsonObject {
  const { in: _in, name: _name, required: _required, description: _description, ...schema } = raw;
  return schema;
}

function styleOf(raw: JsonObject, location: Location): Pick<DescribedParameter, "style" | "explode"> {
  const [defaultStyle = "simple"] = STYLES[location];
  if (raw["collectionFormat"] !== undefined) return collectionStyle(raw, defaultStyle);
  // In Swagger 2.0, list values are separated by commas by default.
  if (raw["schema"] === undefined && raw["content"] === undefined && raw["style"] === undefined && "type" in raw) {
    return { style: defaultStyle, explode: false };
  }
  const style = STYLES[location].find((one) => one === raw["style"]) ?? defaultStyle;
  const explode = typeof raw["explode"] === "boolean" ? raw["explode"] : style === "form";
  return { style, explode: style === "deepObject" || explode };
}

/** Converts the Swagger 2.0 keyword `collectionFormat` to OpenAPI 3 `style` and `explode`. */
export function collectionStyle(raw: JsonObject, defaultStyle: Style): Pick<DescribedParameter, "style" | "explode"> {
  switch (raw["collectionFormat"]) {
    case "multi":
      return { style: defaultStyle, explode: defaultStyle === "form" };
    case "ssv":
      return { style: defaultStyle === "form" ? "spaceDelimited" : defaultStyle, explode: false };
    case "pipes":
      return { style: defaultStyle === "form" ? "pipeDelimited" : defaultStyle, explode: false };
    case "tsv":
      throw unsupportedOperation(
        `has the parameter ${asText(raw["name"]) ?? ""}, whose values are separated by tabs (collectionFormat tsv)`,
      );
    default:
      return { style: defaultStyle, explode: false };
  }
}
