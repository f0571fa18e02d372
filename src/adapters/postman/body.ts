import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { DescribedBody, MemberEncoding } from "../described.js";
import { parseBodyText } from "./body-text.js";
import { inferSchema, inferTextSchema } from "./infer-schema.js";
import { withoutSecretValues } from "./secret.js";
import { substitute, type PostmanValues } from "./variables.js";

const NO_ENCODING = (): MemberEncoding => ({});

/** Reads the body of a request in any of Postman's body modes. */
export function readPostmanBody(
  body: unknown,
  contentType: string | undefined,
  values: PostmanValues,
): DescribedBody | undefined {
  if (!isJsonObject(body) || body["disabled"] === true) return undefined;
  switch (body["mode"]) {
    case "raw":
      return rawBody(body, contentType, values);
    case "urlencoded":
      return form(entriesOf(body["urlencoded"]), "form", values);
    case "formdata":
      return form(entriesOf(body["formdata"]), "multipart", values);
    case "graphql":
      return graphql(body["graphql"], values);
    case "file":
      return {
        kind: "binary",
        contentType: contentType ?? "application/octet-stream",
        isRequired: true,
        schema: {},
        encoding: NO_ENCODING,
      };
    default:
      return undefined;
  }
}

const LANGUAGES: Readonly<Record<string, string>> = {
  json: "application/json",
  xml: "application/xml",
  html: "text/html",
  javascript: "application/javascript",
  text: "text/plain",
};

function rawBody(body: JsonObject, given: string | undefined, values: PostmanValues): DescribedBody | undefined {
  const text = typeof body["raw"] === "string" ? body["raw"] : "";
  if (text.trim() === "") return undefined;
  const options = isJsonObject(body["options"]) ? body["options"]["raw"] : undefined;
  const language = isJsonObject(options) ? LANGUAGES[String(options["language"])] : undefined;
  const contentType = given ?? language;
  const mayBeJson = contentType === undefined || /[/+]json\b/.test(contentType);
  const parsed = mayBeJson ? parseBodyText(text, values) : undefined;
  const isJson = parsed !== undefined && (contentType !== undefined || typeof parsed.value === "object");
  if (!isJson) {
    const type = mayBeJson && contentType !== undefined ? contentType : (contentType ?? "text/plain");
    return {
      kind: "text",
      contentType: type,
      isRequired: undefined,
      schema: {},
      encoding: NO_ENCODING,
    };
  }
  return {
    kind: "json",
    contentType: contentType ?? "application/json",
    isRequired: undefined,
    schema: inferSchema(parsed.value),
    example: withoutSecretValues(parsed.value),
    encoding: NO_ENCODING,
  };
}

interface Entry {
  readonly name: string;
  readonly value: string;
  readonly isFile: boolean;
  readonly isMany: boolean;
  readonly contentType: string | undefined;
  readonly description: unknown;
}

function entriesOf(given: unknown): Entry[] {
  const entries = (Array.isArray(given) ? given : []).filter(isJsonObject);
  return entries.flatMap(({ key, value, type, src, contentType, description, disabled }): Entry[] => {
    if (typeof key !== "string" || key === "" || disabled === true) return [];
    const isType = typeof contentType === "string" && /^[\w.+-]+\/[\w.+-]+$/.test(contentType);
    return [
      {
        name: key,
        value: typeof value === "string" ? value : "",
        isFile: type === "file",
        isMany: type === "file" && Array.isArray(src) && src.length > 1,
        contentType: isType ? contentType : undefined,
        description,
      },
    ];
  });
}

function form(entries: readonly Entry[], kind: "form" | "multipart", values: PostmanValues): DescribedBody | undefined {
  if (entries.length === 0) return undefined;
  const byName = new Map<string, Entry[]>();
  for (const entry of entries) byName.set(entry.name, [...(byName.get(entry.name) ?? []), entry]);
  const properties = [...byName].map(([name, all]) => [name, toMember(all, values)]);
  return {
    kind,
    contentType: kind === "form" ? "application/x-www-form-urlencoded" : "multipart/form-data",
    isRequired: undefined,
    schema: { type: "object", properties: Object.fromEntries(properties) },
    encoding: (name) => {
      const [first, ...others] = byName.get(name) ?? [];
      return {
        ...(kind === "form" && others.length > 0 ? { style: "form", explode: true } : {}),
        ...(first?.contentType === undefined ? {} : { contentType: first.contentType }),
      };
    },
  };
}

/** Converts the form entries of one name to a schema. Several entries become a list. */
function toMember(entries: readonly Entry[], values: PostmanValues): JsonObject {
  const [first] = entries;
  const description = first === undefined ? undefined : textOf(first.description);
  const described = description === undefined ? {} : { description };
  const isMany = entries.length > 1 || first?.isMany === true;
  const one =
    first?.isFile === true
      ? { type: "string", format: "binary" }
      : inferTextSchema(substitute(first?.value ?? "", values));
  return { ...(isMany ? { type: "array", items: one } : one), ...described };
}

/** The text of a Postman description, which is a string or an object with `content`. */
export function textOf(description: unknown): string | undefined {
  const text = isJsonObject(description) ? description["content"] : description;
  return typeof text === "string" ? text : undefined;
}

const GRAPHQL_TEXT = /"""(?:\\"""|[^])*?(?:"""|$)|"(?:[^"\\\n]|\\.)*"?|#[^\n]*/g;

/** Masks string literals and removes comments in a GraphQL query, because they may contain real secrets. */
function withoutTexts(query: string): string {
  return query.replace(GRAPHQL_TEXT, (found) => (found.startsWith("#") ? "" : '"***"'));
}

/** Converts a GraphQL body. The caller may change the query, but must send one. */
function graphql(given: unknown, values: PostmanValues): DescribedBody {
  const { query, variables, operationName } = isJsonObject(given) ? given : {};
  const text = typeof query === "string" ? withoutTexts(substitute(query, values)) : "";
  const parsed = typeof variables === "string" ? parseBodyText(variables, values)?.value : variables;
  const hasVariables = isJsonObject(parsed) && Object.keys(parsed).length > 0;
  return {
    kind: "json",
    contentType: "application/json",
    isRequired: true,
    schema: {
      type: "object",
      properties: {
        query: { type: "string", description: "The GraphQL query.", ...(text === "" ? {} : { default: text }) },
        variables: hasVariables ? inferSchema(parsed) : { type: "object" },
        ...(typeof operationName === "string" && operationName !== "" ? { operationName: { type: "string" } } : {}),
      },
      required: ["query"],
    },
    example: withoutSecretValues({ query: text, ...(hasVariables ? { variables: parsed } : {}) }),
    encoding: NO_ENCODING,
  };
}
