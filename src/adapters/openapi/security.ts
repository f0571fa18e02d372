import type { JsonObject } from "../../model/json.js";
import { attempt } from "../refuse.js";
import type { WantedAuth } from "../described.js";
import type { References } from "../references.js";
import { toPlainLine, toWebAddress } from "../text.js";
import { asList, asObject, asText } from "./dialect.js";

export interface Security {
  /** The authentication methods in the document, starting with those of its top-level `security`. */
  readonly auth: readonly WantedAuth[];
  /** Whether the document states that the operation needs no authentication. */
  isOpen(operation: JsonObject): boolean;
  /** Whether a parameter carries credentials. Such a parameter is not offered as an argument. */
  isCredential(location: string, name: string): boolean;
}

export function readSecurity(root: JsonObject, references: References): Security {
  const schemes = {
    ...asObject(asObject(root["components"])["securitySchemes"]),
    ...asObject(root["securityDefinitions"]),
  };
  const wanted = Object.entries(schemes).map(([name, raw]) => {
    const scheme = attempt(() => ({ value: references.follow(raw) }));
    return { name, auth: toWanted("refusal" in scheme ? {} : asObject(scheme.value), name) };
  });
  const defaults = asList(root["security"]).flatMap((entry) => Object.keys(asObject(entry)));
  const rank = ({ name }: { readonly name: string }): number =>
    defaults.includes(name) ? defaults.indexOf(name) : defaults.length;
  const keys = new Set(
    wanted.flatMap(({ auth }) => (auth.kind === "api-key" ? [`${auth.in} ${auth.name.toLowerCase()}`] : [])),
  );
  return {
    auth: unique([...wanted].sort((left, right) => rank(left) - rank(right)).map(({ auth }) => auth)),
    isOpen({ security }) {
      const requirements = security ?? root["security"];
      return Array.isArray(requirements) && requirements.length === 0;
    },
    isCredential: (location, name) => keys.has(`${location} ${name.toLowerCase()}`),
  };
}

function unique(all: readonly WantedAuth[]): WantedAuth[] {
  return [...new Map(all.map((auth) => [JSON.stringify(auth), auth])).values()];
}

function toWanted(scheme: JsonObject, name: string): WantedAuth {
  const type = asText(scheme["type"]);
  const method = asText(scheme["scheme"])?.toLowerCase();
  if (type === "basic" || (type === "http" && method === "basic")) return { kind: "basic" };
  if (type === "http" && method === "bearer") return { kind: "bearer" };
  if (type === "apiKey") return toKey(scheme) ?? { kind: "other", what: name };
  if (type === "openIdConnect") return { kind: "bearer" };
  if (type === "oauth2") return toFlow(scheme);
  return { kind: "other", what: toPlainLine(method ?? type ?? name, 60) ?? name };
}

/** Converts an `apiKey` scheme. An API key in the `Authorization` header is treated as a bearer token. */
function toKey(scheme: JsonObject): WantedAuth | undefined {
  const name = asText(scheme["name"]);
  const location = scheme["in"];
  if (name === undefined || (location !== "header" && location !== "query" && location !== "cookie")) return undefined;
  const isBearer = location === "header" && name.toLowerCase() === "authorization";
  return isBearer ? { kind: "bearer" } : { kind: "api-key", in: location, name };
}

/**
 * Converts an `oauth2` scheme. Flows with a user login yield a bearer token, which the user must obtain and configure.
 */
function toFlow(scheme: JsonObject): WantedAuth {
  const flow = scheme["flow"] === "application" ? scheme : asObject(scheme["flows"])["clientCredentials"];
  if (flow === undefined) return { kind: "bearer" };
  const { tokenUrl, scopes } = asObject(flow);
  const address = toWebAddress(tokenUrl);
  return {
    kind: "client-credentials",
    ...(address === undefined ? {} : { tokenUrl: address }),
    scopes: Object.keys(asObject(scopes)).slice(0, 100),
  };
}
