import type { JsonObject } from "../../model/json.js";
import type { RestParameter } from "../../model/operation.js";
import { toOneLine } from "../../util/text.js";
import { toParts } from "./style.js";
import { wrongArgument } from "./wrong-argument.js";

/** Headers for credentials, routing and message framing. Arguments cannot set them. */
const RESERVED =
  /^(?:host|authorization|cookie2?|set-cookie2?|content-(?:length|type|encoding)|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|http2-settings|accept(?:-encoding|-charset)?|via|forwarded|date|origin|referer|x-real-ip|x-original-\w+|x-rewrite-url|x-http-method(?:-override)?|x-method-override|proxy-.*|sec-.*|x-forwarded-.*|access-control-.*)$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export type Headers = Record<string, string>;

/** The headers of a call that come from arguments. `reserved`: the names that the configuration sets, in lower case. */
export function toHeaders(
  parameters: readonly RestParameter[],
  values: JsonObject,
  reserved: ReadonlySet<string>,
): Headers {
  const headers: Headers = {};
  for (const parameter of parameters) {
    const value = values[parameter.argument];
    if (parameter.in !== "header" || value === undefined || value === null) continue;
    const { argument, explode } = parameter;
    const name = parameter.name.toLowerCase();
    if (RESERVED.test(name) || reserved.has(name) || !isTokenName(name)) {
      throw wrongArgument(argument, `would set the header ${toOneLine(name).slice(0, 60)}, which is reserved`);
    }
    const parts = toParts(parameter.isJson ? JSON.stringify(value) : value, explode);
    const text = parts.map((part) => part.join("=")).join(",");
    if (!isHeaderValue(text)) throw wrongArgument(argument, "contains a character that is not allowed in a header");
    headers[name] = text;
  }
  return headers;
}

export function isTokenName(name: string): boolean {
  return TOKEN.test(name);
}

/** A header value may contain Latin-1 characters only, and no control characters. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
