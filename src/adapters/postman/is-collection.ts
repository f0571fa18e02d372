import { isJsonObject, type JsonObject } from "../../model/json.js";

/**
 * Whether a document is a Postman collection in format 2.0 or 2.1, with or without the wrapper object of the Postman
 * API.
 */
export function isCollection(root: JsonObject): boolean {
  const { info, item } = collectionOf(root);
  const schema = isJsonObject(info) ? info["schema"] : undefined;
  const hasSchema = typeof schema === "string" && /collection\/v2\.[01]/.test(schema);
  return Array.isArray(item) && (hasSchema || (isJsonObject(info) && info["_postman_id"] !== undefined));
}

export function collectionOf(root: JsonObject): JsonObject {
  return isJsonObject(root["collection"]) ? root["collection"] : root;
}
