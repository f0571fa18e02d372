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
  // With these a harmless method could do what another one does.
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-rewrite-url",
  "x-real-ip",
]);

const RESERVED_PREFIXES = ["proxy-", "sec-", "x-forwarded-", "x-original-", "access-control-"];

/** Whether a header belongs to the connection, to authentication or to the way through proxies: no caller may set it. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

/** Whether it can be the name of a header or a cookie at all. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]{1,200}$/.test(name);
}
