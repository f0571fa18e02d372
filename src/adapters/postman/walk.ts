import { isJsonObject, type JsonObject } from "../../model/json.js";
import { inheritAuth, type RequestAuth } from "./auth.js";
import { extendValues, type PostmanValues } from "./variables.js";

/** A Postman request with everything that it inherits from its folders. */
export interface FoundRequest {
  readonly name: string;
  readonly request: JsonObject | string;
  readonly responses: readonly unknown[];
  /** Names of the folders that contain the request, the outermost first. */
  readonly folders: readonly string[];
  readonly values: PostmanValues;
  readonly auth: RequestAuth | undefined;
}

interface Level {
  readonly items: readonly unknown[];
  readonly folders: readonly string[];
  readonly values: PostmanValues;
  readonly auth: RequestAuth | undefined;
}

const MAX_DEPTH = 50;

/** Yields all requests in the order of the collection. Iterative, so that deep nesting cannot exhaust the stack. */
export function* walkRequests(collection: JsonObject): Iterable<FoundRequest> {
  const open: (Level & { next: number })[] = [];
  const enter = (container: JsonObject, outer: Omit<Level, "items">): void => {
    const items = Array.isArray(container["item"]) ? (container["item"] as unknown[]) : [];
    const values = extendValues(outer.values, container);
    open.push({ items, folders: outer.folders, values, auth: inheritAuth(outer.auth, container), next: 0 });
  };
  enter(collection, { folders: [], values: new Map(), auth: undefined });
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const item = level.items[level.next];
    level.next += 1;
    if (level.next > level.items.length) open.pop();
    else if (isJsonObject(item)) {
      const name = typeof item["name"] === "string" ? item["name"] : "";
      if (Array.isArray(item["item"])) {
        if (open.length < MAX_DEPTH) enter(item, { ...level, folders: [...level.folders, name] });
      } else if (isJsonObject(item["request"]) || typeof item["request"] === "string") {
        yield toRequest(item, item["request"], { ...level, name });
      }
    }
  }
}

function toRequest(
  item: JsonObject,
  request: JsonObject | string,
  { folders, values, auth, name }: Level & { readonly name: string },
): FoundRequest {
  return {
    name,
    request,
    responses: Array.isArray(item["response"]) ? (item["response"] as unknown[]) : [],
    folders,
    values: extendValues(values, item),
    auth: inheritAuth(inheritAuth(auth, item), isJsonObject(request) ? request : {}),
  };
}
