import { isJsonObject, type JsonObject } from "../../model/json.js";

export type OpenApiDialect = "2.0" | "3.0" | "3.1";

/** The OpenAPI or Swagger version of a document; undefined if it is neither. */
export function dialectOf({ openapi, swagger }: JsonObject): OpenApiDialect | undefined {
  if (String(swagger) === "2.0" || swagger === 2) return "2.0";
  const version = String(openapi);
  if (/^3\.0(\.|$)/.test(version) || openapi === 3) return "3.0";
  return /^3\.[1-9]\d*(\.|$)/.test(version) ? "3.1" : undefined;
}

export function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
