import { z } from "zod";

const MOST_ORIGINS = 100;

const origin = z
  .string()
  .refine(
    isOrigin,
    "An origin is a scheme, a host and a port that is not the usual one, as in `http://localhost:3000`.",
  );

/** The section `http` of the configuration. */
export const httpOptions = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .max(255)
      .default("127.0.0.1")
      .describe("The address to listen on: one that only this machine reaches (loopback), or a name of one."),
    port: z.int().min(0).max(65_535).default(7332).describe("The port to listen on; `0` takes any that is free."),
    origins: z
      .array(origin)
      .max(MOST_ORIGINS)
      .default([])
      .describe(
        "Web pages that may call, each written exactly as browsers name it in `Origin`. What a browser sends for any other page is refused.",
      ),
    graceMs: z
      .int()
      .min(0)
      .max(600_000)
      .default(10_000)
      .describe("How long calls under way may go on after the signal to stop, in milliseconds."),
  })
  .describe("What `anygpt mcp serve --http` listens on, and for whom.");

export type HttpOptions = z.output<typeof httpOptions>;

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && url.origin === text;
}
