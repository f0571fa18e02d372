import { loadConfig, parseConfig } from "../../config/load.js";
import type { OpenOptions } from "../../gateway/engine-options.js";
import { DiscoveryError } from "../../errors.js";
import { environmentFor } from "../../gateway/find-configuration.js";
import { tokenFile } from "../../gateway/runtime-environment.js";
import { absolutePath } from "../../util/home-path.js";
import { readRegularText } from "../../util/regular-file.js";
import { openAudit } from "../audit/open-audit.js";
import { createAuditSource } from "./audit-source.js";
import { createMetricsSource, type MetricsSourceParts } from "./metrics-source.js";
import type { ReadingSource, TopReading } from "./reading.js";

export interface TopRequest {
  /** The URL of a gateway. Default: the gateway of this machine. */
  readonly url?: string | undefined;
  /**
   * The file with the token for the gateway. Default: the token file of this machine, for gateways of this machine
   * only.
   */
  readonly tokenFile?: string | undefined;
}

export interface OpenSource {
  readonly source: ReadingSource;
  readonly first: TopReading;
}

/**
 * Reads the metrics of a gateway that serves HTTP. Undefined if the request has no URL and no gateway responds on this
 * machine.
 */
export async function openMetricsReadings(
  request: TopRequest,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<OpenSource | undefined> {
  if (request.url === undefined) return await localGateway(request, options, signal);
  return await begin(await gatewayAt(request.url, request, options), signal);
}

/** The calls of all gateways of this machine in the last few minutes, from the audit log. */
export async function openAuditReadings(options: OpenOptions, signal: AbortSignal): Promise<OpenSource> {
  const { records: audit, close } = await openAudit(options);
  return await begin(createAuditSource({ audit, now: Date.now, close }), signal);
}

async function begin(source: ReadingSource, signal: AbortSignal): Promise<OpenSource> {
  try {
    return { source, first: await source.read(signal) };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** The gateway of this machine. Undefined if no gateway responds at the address in the configuration. */
async function localGateway(
  request: TopRequest,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<OpenSource | undefined> {
  const { loadParts, stateFolder } = environmentFor(options);
  const own = await tokenIn(tokenFile(stateFolder), options).catch(() => undefined);
  const token =
    request.tokenFile === undefined ? own : await tokenIn(request.tokenFile, options).catch(() => undefined);
  // Without the token of this machine, the program that listens cannot prove that it is a gateway of this user.
  if (own === undefined || token === undefined) return undefined;
  const { http } = await loadConfig(loadParts).then(
    ({ config }) => config,
    () => parseConfig({}),
  );
  const host = /^(?:0\.0\.0\.0|\[?::\]?)$/.test(http.host) ? "127.0.0.1" : http.host;
  const url = new URL(`http://${host}:${http.port}/metrics`);
  return await begin(metricsOf({ url, token, provenBy: own }, options), signal).catch(() => undefined);
}

async function gatewayAt(address: string, request: TopRequest, options: OpenOptions): Promise<ReadingSource> {
  const url = toMetricsUrl(address);
  // The token of this machine must not be sent to other machines. It is not valid through a TLS proxy either.
  const local =
    isLoopback(url) && url.protocol === "http:" ? tokenFile(environmentFor(options).stateFolder) : undefined;
  const file = request.tokenFile ?? local;
  const token =
    file === undefined
      ? undefined
      : await tokenIn(file, options).catch((error: unknown) => {
          if (request.tokenFile === undefined) return undefined;
          throw new DiscoveryError("INVALID_REQUEST", `The file ${file} cannot be read.`, { cause: error });
        });
  // A user who names a file decides who gets the token in it.
  const isProven = request.tokenFile === undefined && token !== undefined;
  return metricsOf({ url, token, ...(isProven ? { provenBy: token } : {}) }, options);
}

function metricsOf(
  parts: Pick<MetricsSourceParts, "url" | "token" | "provenBy">,
  { env = process.env }: OpenOptions,
): ReadingSource {
  return createMetricsSource({ ...parts, env, now: Date.now });
}

async function tokenIn(file: string, options: OpenOptions): Promise<string> {
  const { cwd, home } = environmentFor(options);
  return (await readRegularText(absolutePath(file, { home, baseDir: cwd }))).trim();
}

function toMetricsUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new DiscoveryError("INVALID_REQUEST", `${JSON.stringify(address)} is not an HTTP or HTTPS URL.`, {
      hint: "Name the URL of a gateway, such as http://127.0.0.1:7332.",
    });
  }
  if (url.pathname === "/") url.pathname = "/metrics";
  return url;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}
