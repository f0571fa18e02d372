import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { loadConfig } from "../../../config/load.js";
import { placeFor } from "../../../open-engine.js";
import { DiscoveryError } from "../../../errors.js";
import { expandHome } from "../../../util/home-path.js";
import { httpOptions } from "../../http/options.js";
import { tokenFile } from "../../http/token.js";
import { openAudit } from "../audit/open-audit.js";
import type { Context } from "../context.js";
import { optionsOf } from "../trust-files.js";
import { createAuditSource } from "./audit-source.js";
import { createMetricsSource } from "./metrics-source.js";
import type { Reading, Source } from "./reading.js";

export interface OpenSource {
  readonly source: Source;
  readonly first: Reading;
}

export interface Wanted {
  /** Of a gateway; left out, the one of this machine, else the record. */
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
}

export async function openSource(wanted: Wanted, context: Context): Promise<OpenSource> {
  const { signal } = context.io;
  if (wanted.url !== undefined) return await begin(await gatewayAt(wanted.url, wanted, context), signal);
  return (await localGateway(wanted, context)) ?? (await begin(await recordHere(context), signal));
}

async function begin(source: Source, signal: AbortSignal): Promise<OpenSource> {
  try {
    return { source, first: await source.read(signal) };
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function recordHere(context: Context): Promise<Source> {
  const { audit, close } = await openAudit(context);
  return createAuditSource({ audit, now: Date.now, close });
}

/** Undefined when none answers where the configuration wants one to listen. */
async function localGateway(wanted: Wanted, context: Context): Promise<OpenSource | undefined> {
  const { loadParts, stateFolder } = placeFor(optionsOf(context));
  const token = await tokenIn(wanted.tokenFile ?? tokenFile(stateFolder), context).catch(() => undefined);
  if (token === undefined) return undefined;
  const { http } = await loadConfig(loadParts).then(
    ({ config }) => config,
    () => ({ http: httpOptions.parse({}) }),
  );
  const host = /^(?:0\.0\.0\.0|\[?::\]?)$/.test(http.host) ? "127.0.0.1" : http.host;
  const url = new URL(`http://${host}:${http.port}/metrics`);
  const source = createMetricsSource({ url, token, env: context.io.env, now: Date.now });
  return await begin(source, context.io.signal).catch(() => undefined);
}

async function gatewayAt(address: string, wanted: Wanted, context: Context): Promise<Source> {
  const url = toMetricsUrl(address);
  const own = tokenFile(placeFor(optionsOf(context)).stateFolder);
  // The token of this machine is for gateways of this machine.
  const file = wanted.tokenFile ?? (isLoopback(url) ? own : undefined);
  const token =
    file === undefined
      ? undefined
      : await tokenIn(file, context).catch((error: unknown) => {
          if (wanted.tokenFile === undefined) return undefined;
          throw new DiscoveryError("INVALID_REQUEST", `The file ${file} cannot be read.`, { cause: error });
        });
  return createMetricsSource({ url, token, env: context.io.env, now: Date.now });
}

async function tokenIn(file: string, { io }: Context): Promise<string> {
  const { home } = placeFor({ cwd: io.cwd, env: io.env });
  return (await readFile(resolve(io.cwd, expandHome(file, home)), "utf8")).trim();
}

function toMetricsUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new DiscoveryError("INVALID_REQUEST", `${JSON.stringify(address)} is no address of a gateway.`, {
      hint: "Write it as in http://127.0.0.1:7332.",
    });
  }
  if (url.pathname === "/") url.pathname = "/metrics";
  return url;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}
