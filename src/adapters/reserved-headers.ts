const RESERVED = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "cookie2",
  "date",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "origin",
  "referer",
  "set-cookie",
  "set-cookie2",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
  // Method and path overrides: servers that honor them could execute another method or path than the one that was
  // checked.
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-rewrite-url",
  "x-real-ip",
]);

const RESERVED_PREFIXES = ["proxy-", "sec-", "x-forwarded-", "x-original-", "access-control-"];

/** Whether a header belongs to the connection, to authentication or to proxies, so that no caller may set it. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

/** Whether the text is a valid name for a header or cookie. */
export function isValidHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]{1,200}$/.test(name);
}
