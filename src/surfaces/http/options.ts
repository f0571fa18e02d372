import { z } from "zod";
import { oauthOptions } from "./oauth/options.js";
import { tokensOptions } from "./token-options.js";

const MOST_ORIGINS = 100;

const origin = z
  .string()
  .refine(
    isOrigin,
    "An origin is a scheme, a host and a port that is not the usual one, as in `http://localhost:3000`.",
  );

const host = z
  .string()
  .max(255)
  .regex(/^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)$/, "A host is a name or an address in small letters, without a port.");

const proxy = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  "expected an address, or a network as in 10.0.0.0/8",
);

/** The section `http` of the configuration. */
export const httpOptions = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .max(255)
      .default("127.0.0.1")
      .describe(
        "The address to listen on. One that other machines reach is refused unless `tokens` or `oauth` say who may call.",
      ),
    port: z.int().min(0).max(65_535).default(7332).describe("The port to listen on; `0` takes any that is free."),
    hosts: z
      .array(host)
      .max(MOST_ORIGINS)
      .default([])
      .describe(
        "Further names by which the gateway may be addressed, as `Host` has them, without a port. Loopback names, the address it listens on and the host of `publicUrl` are known.",
      ),
    publicUrl: z
      .string()
      .refine(isOrigin, "An address is a scheme and a host, as in `https://tools.example.com`.")
      .optional()
      .describe("The address by which callers know the gateway, where that is a proxy in front of it."),
    proxies: z
      .array(proxy)
      .max(MOST_ORIGINS)
      .default([])
      .describe(
        "Addresses or networks of proxies in front of the gateway. Who calls through them is looked up in `X-Forwarded-For`, and only for counting wrong tokens; from anybody else the header is not believed.",
      ),
    origins: z
      .array(origin)
      .max(MOST_ORIGINS)
      .default([])
      .describe(
        "Web pages that may call, each written exactly as browsers name it in `Origin`. What a browser sends for any other page is refused.",
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
          .describe("How many there may be. One more ends the one that lay idle longest, of who has the most."),
        idleMs: z
          .int()
          .min(1000)
          .max(86_400_000)
          .default(1_800_000)
          .describe("How long one is kept that nobody uses, in milliseconds."),
      })
      .prefault({})
      .describe("Sessions of MCP clients before 2026-07-28."),
    graceMs: z
      .int()
      .min(0)
      .max(600_000)
      .default(10_000)
      .describe("How long calls under way may go on after the signal to stop, in milliseconds."),
  })
  .describe("What `anygpt mcp serve --http` listens on, and for whom.");

export type HttpOptions = z.output<typeof httpOptions>;

/** Whether anybody but the person at this machine is known. */
export function knowsCallers({ tokens, oauth }: Pick<HttpOptions, "tokens" | "oauth">): boolean {
  return tokens.length > 0 || oauth !== undefined;
}

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && url.origin === text;
}
