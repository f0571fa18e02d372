import { type RawRequest, toRequest } from "./raw-http.js";

/**
 * Requests of a browser for a page whose host name resolves to this machine (DNS rebinding): the connection goes to
 * loopback, and `Host`, `Origin` and `Referer` are those of the page, which the browser treats as same-origin.
 */
export interface PageRequest {
  readonly what: string;
  readonly bytes: Buffer;
  readonly isToHead: boolean;
}

/** Host names of pages: foreign ones, and ones that look like this machine. */
export const PAGES = [
  "evil.example",
  "rebind.network",
  "7f000001.c0a80001.rbndr.us",
  "127.0.0.1.nip.io",
  "localhost.evil.example",
  "localtest.me",
  "localhost.",
  "a.localhost",
  "0.0.0.0",
  "127.0.0.2",
  "127.1",
  "2130706433",
  "[::ffff:127.0.0.1]",
  "xn--lcalhost-v3a",
];

export interface PageParts {
  readonly page: string;
  readonly port: number;
  /** The token of an authorized caller, as if the page had obtained it. */
  readonly token: string;
  readonly calls: readonly Pick<RawRequest, "method" | "target" | "body">[];
}

const BROWSER = {
  "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  "Accept-Language": "en-US,en;q=0.9",
};

/** Every call as a script, form, image and socket of the page would send it, with and without the token. */
export function pageRequests({ page, port, token, calls }: PageParts): PageRequest[] {
  const host = `${page}:${port}`;
  const origin = `http://${host}`;
  const script = { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty" };
  const image = { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" };
  const visit = { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  return calls.flatMap((call) => {
    const { method = "GET", target = "/" } = call;
    const hasOrigin = method !== "GET" && method !== "HEAD";
    const base = { Host: host, Connection: "close", ...BROWSER, Referer: `${origin}/`, Accept: "*/*" };
    const type = call.body === undefined ? {} : { "Content-Type": "application/json" };
    const own = hasOrigin ? { Origin: origin } : {};
    const heads: [string, Record<string, string>][] = [
      ["a script", { ...base, ...own, ...type, ...script }],
      ["a script with the token", { ...base, ...own, ...type, ...script, Authorization: `Bearer ${token}` }],
      ["an image", { ...base, ...type, ...image, Authorization: `Bearer ${token}` }],
      ["a visit", { ...base, ...own, ...type, ...visit }],
      ["a socket", { ...base, Connection: "Upgrade", Upgrade: "websocket", Origin: origin, ...SOCKET }],
      ["a preflight", { ...base, Origin: origin, "Access-Control-Request-Method": method, ...PRIVATE }],
    ];
    return heads.map(([who, headers]) => {
      const asked = who === "a preflight" ? "OPTIONS" : who === "a socket" ? "GET" : method;
      const body = asked === method && call.body !== undefined ? { body: call.body } : {};
      const bytes = toRequest({ method: asked, target, headers, ...body });
      return { what: `${who} of ${page}: ${asked} ${target}`, bytes, isToHead: asked === "HEAD" };
    });
  });
}

const SOCKET = { "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" };
const PRIVATE = {
  "Access-Control-Request-Headers": "authorization,content-type",
  "Access-Control-Request-Private-Network": "true",
};
