import type { JsonObject } from "../../model/json.js";
import { asList, asObject, asText } from "./dialect.js";

/** The base URL that the OpenAPI document declares, if it is a complete http or https URL. */
export function baseUrlOf(root: JsonObject, document: string): string | undefined {
  if (root["swagger"] !== undefined) return addressOfHost(root, document);
  return addressOf(asList(root["servers"])[0], document);
}

/**
 * The URL of an entry in `servers`, with default values for its variables. A relative URL is resolved against the URL
 * of the document.
 */
export function addressOf(server: unknown, document: string): string | undefined {
  const { url, variables } = asObject(server);
  if (typeof url !== "string" || url.length > 2_000) return undefined;
  const values = asObject(variables);
  const filled = url.replace(/\{([^{}]{1,100})\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? asObject(values[name])["default"] : undefined;
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
  return toAddress(filled, document);
}

function addressOfHost(root: JsonObject, document: string): string | undefined {
  const schemes = asList(root["schemes"]).filter((scheme) => scheme === "http" || scheme === "https");
  const scheme = schemes.includes("http") && !schemes.includes("https") ? "http" : "https";
  const basePath = asText(root["basePath"]) ?? "/";
  const host = asText(root["host"]);
  return toAddress(host === undefined ? basePath : `${scheme}://${host}${basePath}`, document);
}

function toAddress(text: string, document: string): string | undefined {
  const isDocumentRemote = /^https?:\/\//i.test(document) && URL.canParse(document);
  const base = isDocumentRemote ? document : undefined;
  if (text.includes("{") || !URL.canParse(text, base)) return undefined;
  const address = new URL(text, base);
  if (!/^https?:$/.test(address.protocol) || address.username !== "" || address.password !== "") return undefined;
  return `${address.origin}${address.pathname.replace(/\/+$/, "")}`;
}
