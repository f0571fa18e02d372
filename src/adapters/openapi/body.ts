import type { JsonObject } from "../../model/json.js";
import type { DescribedBody, MemberEncoding } from "../described.js";
import type { References } from "../references.js";
import { toPlainText } from "../text.js";
import { asList, asObject, asText } from "./dialect.js";
import { exampleOf } from "./media-example.js";
import { collectionStyle, toPlainSchema } from "./parameters.js";

type Kind = DescribedBody["kind"];

const NO_ENCODING = (): MemberEncoding => ({});

/** The body kind for each media type, in order of preference: models fill in JSON and forms most reliably. */
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^application\/json$/, "json"],
  [/^(?:[\w.-]+\/[\w.-]+\+json|text\/json)$/, "json"],
  [/^application\/x-www-form-urlencoded$/, "form"],
  [/^multipart\//, "multipart"],
  [/^\*\/\*$/, "json"],
  [/^text\/plain$/, "text"],
  [/^text\//, "text"],
  [/^(?:application|[\w.-]+)\/(?:[\w.-]+\+)?(?:xml|yaml|x-yaml|x-ndjson|graphql|javascript|sql)$/, "text"],
  [/./, "binary"],
];

/** Reads the `requestBody` of an OpenAPI 3.0 or 3.1 operation. */
export function toDescribedBody(raw: unknown, references: References): DescribedBody | undefined {
  if (raw === undefined) return undefined;
  const body = asObject(references.follow(raw));
  const chosen = chooseType(Object.keys(asObject(body["content"])));
  if (chosen === undefined) return undefined;
  const media = asObject(references.follow(asObject(body["content"])[chosen.written]));
  const description = toPlainText(body["description"], 1_500);
  const example = exampleOf(media, references);
  const encodings = asObject(media["encoding"]);
  return {
    kind: chosen.kind,
    contentType: chosen.contentType,
    isRequired: typeof body["required"] === "boolean" ? body["required"] : undefined,
    schema: media["schema"] ?? {},
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
    encoding: (name) => (Object.hasOwn(encodings, name) ? toEncoding(asObject(encodings[name]), chosen.kind) : {}),
  };
}

interface Chosen {
  readonly written: string;
  readonly kind: Kind;
  readonly contentType: string;
}

function chooseType(types: readonly string[]): Chosen | undefined {
  for (const [pattern, kind] of KINDS) {
    const written = types.find((type) => pattern.test(essence(type)));
    if (written !== undefined) return { written, kind, contentType: toContentType(essence(written), kind) };
  }
  return undefined;
}

function essence(type: string): string {
  return (type.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** Replaces a media type range such as `text/*` with one concrete type, because `Content-Type` must not be a range. */
function toContentType(type: string, kind: Kind): string {
  if (/^[\w.+-]+\/[\w.+-]+$/.test(type)) return type;
  return kind === "json" ? "application/json" : kind === "text" ? "text/plain" : "application/octet-stream";
}

const MEMBER_STYLES = ["form", "spaceDelimited", "pipeDelimited", "deepObject"] as const;

function toEncoding(raw: JsonObject, kind: Kind): MemberEncoding {
  const style = MEMBER_STYLES.find((one) => one === raw["style"]);
  const [type] = (asText(raw["contentType"]) ?? "").split(",");
  const contentType = type === undefined || type.includes("*") ? "" : type.trim();
  const isOneType = /^[\w.+-]+\/[\w.+-]+(?:;\s*[\w-]+=[\w-]+)?$/.test(contentType);
  const explode = style === "deepObject" || (typeof raw["explode"] === "boolean" ? raw["explode"] : style === "form");
  return {
    ...(kind === "form" && style !== undefined ? { style, explode } : {}),
    ...(kind === "form" && style === undefined && typeof raw["explode"] === "boolean"
      ? { style: "form", explode }
      : {}),
    ...(isOneType ? { contentType } : {}),
  };
}

/**
 * Reads the request body of a Swagger 2.0 operation, which is one `body` parameter or a `formData` parameter for each
 * member.
 */
export function toBodyOfParameters(parameters: readonly JsonObject[], consumes: unknown): DescribedBody | undefined {
  const whole = parameters.find((parameter) => parameter["in"] === "body");
  const types = asList(consumes).filter((type) => typeof type === "string");
  if (whole !== undefined) {
    const { kind, contentType } = chooseType(types.filter((type) => !/form/.test(type))) ?? JSON_BODY;
    const description = toPlainText(whole["description"], 1_500);
    return {
      kind,
      contentType,
      isRequired: typeof whole["required"] === "boolean" ? whole["required"] : undefined,
      schema: whole["schema"] ?? {},
      ...(description === undefined ? {} : { description }),
      encoding: NO_ENCODING,
    };
  }
  return toForm(
    parameters.filter((parameter) => parameter["in"] === "formData"),
    types,
  );
}

const JSON_BODY = { kind: "json", contentType: "application/json" } as const;

function toForm(members: readonly JsonObject[], types: readonly string[]): DescribedBody | undefined {
  if (members.length === 0) return undefined;
  const isMultipart =
    members.some(({ type }) => type === "file") || types.every((type) => type.startsWith("multipart/"));
  const isForm = !isMultipart || (types.length === 0 && !members.some(({ type }) => type === "file"));
  const byName = new Map(members.map((member) => [String(member["name"]), member]));
  const properties = [...byName].map(([name, member]) => [name, toMember(member)]);
  const required = members.filter((member) => member["required"] === true).map((member) => String(member["name"]));
  return {
    kind: isForm ? "form" : "multipart",
    contentType: isForm ? "application/x-www-form-urlencoded" : "multipart/form-data",
    isRequired: undefined,
    schema: { type: "object", properties: Object.fromEntries(properties), required },
    encoding: (name) => {
      const { style, explode } = collectionStyle(byName.get(name) ?? {}, "form");
      const isList = byName.get(name)?.["type"] === "array";
      return isList && isForm && (style === "form" || style === "spaceDelimited" || style === "pipeDelimited")
        ? { style, explode }
        : {};
    },
  };
}

function toMember(raw: JsonObject): JsonObject {
  return { ...toPlainSchema(raw), ...(raw["description"] === undefined ? {} : { description: raw["description"] }) };
}
