import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { WantedAuth } from "../described.js";

/**
 * The authentication of one request, its own or inherited. `open`: the collection declares that no authentication is
 * needed.
 */
export type RequestAuth = WantedAuth | { readonly kind: "open" };

/** The authentication that a collection, folder or request sets itself, otherwise the inherited one. */
export function inheritAuth(outer: RequestAuth | undefined, { auth }: JsonObject): RequestAuth | undefined {
  return isJsonObject(auth) ? readAuth(auth) : outer;
}

function readAuth(auth: JsonObject): RequestAuth {
  const type = String(auth["type"]);
  const values = attributesOf(auth[type]);
  switch (type) {
    case "noauth":
      return { kind: "open" };
    case "basic":
      return { kind: "basic" };
    case "bearer":
    case "jwt":
      return { kind: "bearer" };
    case "apikey": {
      const location = values.get("in") === "query" ? "query" : "header";
      return { kind: "api-key", in: location, name: values.get("key") ?? "X-API-Key" };
    }
    case "oauth2":
      return values.get("grant_type") === "client_credentials" ? toFlow(values) : { kind: "bearer" };
    default:
      return { kind: "other", what: type.slice(0, 60) };
  }
}

function toFlow(values: ReadonlyMap<string, string>): RequestAuth {
  const tokenUrl = values.get("accessTokenUrl") ?? "";
  const isAddress = /^https?:\/\//.test(tokenUrl) && URL.canParse(tokenUrl);
  const scopes = (values.get("scope") ?? "").split(/[\s,]+/).filter((scope) => scope !== "");
  return { kind: "client-credentials", ...(isAddress ? { tokenUrl } : {}), scopes };
}

/** The attributes of an authentication method: a list of keys and values in collection format 2.1, a map in 2.0. */
function attributesOf(given: unknown): ReadonlyMap<string, string> {
  const entries = Array.isArray(given)
    ? given.filter(isJsonObject).map(({ key, value }) => [String(key), value] as const)
    : Object.entries(isJsonObject(given) ? given : {});
  return new Map(entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])));
}
