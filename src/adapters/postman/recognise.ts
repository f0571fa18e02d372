import { isJsonObject, type JsonObject } from "../../model/json.js";

/** Whether a document is a Postman collection of format 2.0 or 2.1, also as Postman's own API wraps it. */
export function isCollection(root: JsonObject): boolean {
  const { info, item } = collectionOf(root);
  const schema = isJsonObject(info) ? info["schema"] : undefined;
  const isSaid = typeof schema === "string" && /collection\/v2\.[01]/.test(schema);
  return Array.isArray(item) && (isSaid || (isJsonObject(info) && info["_postman_id"] !== undefined));
}

export function collectionOf(root: JsonObject): JsonObject {
  return isJsonObject(root["collection"]) ? root["collection"] : root;
}
