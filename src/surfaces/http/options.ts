import { z } from "zod";
import { oauthOptions } from "./oauth/options.js";
import { tokensOptions } from "./token-options.js";

const MAX_ENTRIES = 100;

const origin = z
  .string()
  .refine(
    isOrigin,
    "An origin is a scheme, a host and a port if it is not the default port, as in `http://localhost:3000`.",
  );

const host = z
  .string()
  .max(255)
  .regex(/^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)$/, "A host is a name or an address in lower case, without a port.");

const proxy = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  "expected an address, or a network as in 10.0.0.0/8",
);

/** The schema of the configuration section `http`. */
export const httpOptions = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .max(255)
      .default("127.0.0.1")
      .describe("The address to listen on. An address that other machines can reach requires `tokens` or `oauth`."),
    port: z.int().min(0).max(65_535).default(7332).describe("The port to listen on; `0` uses any free port."),
    hosts: z
      .array(host)
      .max(MAX_ENTRIES)
      .default([])
      .describe(
        "Further allowed names in the header `Host`, without a port. Loopback names, the address that the gateway listens on and the host of `publicUrl` are always allowed.",
      ),
    publicUrl: z
      .string()
      .refine(isOrigin, "A URL is a scheme and a host, as in `https://tools.example.com`.")
      .optional()
      .describe("The public URL of the gateway. Set it if the gateway runs behind a reverse proxy."),
    proxies: z
      .array(proxy)
      .max(MAX_ENTRIES)
      .default([])
      .describe(
        "IP addresses or networks of reverse proxies in front of the gateway. For requests from these proxies, the gateway reads the caller's IP address from `X-Forwarded-For`. It uses the address only for counting invalid tokens.",
      ),
    origins: z
      .array(origin)
      .max(MAX_ENTRIES)
      .default([])
      .describe(
        "Origins of web pages that may call the gateway, exactly as browsers send them in the header `Origin`. Requests from other web pages are rejected.",
      ),
    tokens: tokensOptions,
    oauth: oauthOptions.optional(),
    sessions: z
      .strictObject({
        most: z
          .int()
          .min(1)
          .max(100_000)
          .default(1000)
          .describe(
            "The maximum number of sessions. If it is reached, a new session ends an idle one: the longest idle session of the caller with the most sessions.",
          ),
        idleMs: z
          .int()
          .min(1000)
          .max(86_400_000)
          .default(1_800_000)
          .describe("How long an unused session is kept, in milliseconds."),
      })
      .prefault({})
      .describe("Sessions of clients that use an MCP revision before 2026-07-28."),
    graceMs: z
      .int()
      .min(0)
      .max(600_000)
      .default(10_000)
      .describe("How long calls in progress may continue after the signal to stop, in milliseconds."),
  })
  .describe("Address, port and allowed callers of `anygpt mcp serve --http`.");

export type HttpOptions = z.output<typeof httpOptions>;

/** Whether callers other than the local user are configured. */
export function authenticatesCallers({ tokens, oauth }: Pick<HttpOptions, "tokens" | "oauth">): boolean {
  return tokens.length > 0 || oauth !== undefined;
}

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && url.origin === text;
}
