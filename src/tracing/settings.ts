import { DiscoveryError } from "../errors.js";
import type { TracesOptions } from "./options.js";

/** Where traces are sent, and which share of them. */
export interface TraceSettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ratio: number;
  /** OpenTelemetry resource attributes, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
}

type Env = Readonly<Record<string, string | undefined>>;

const COLLECTOR = "http://localhost:4318/v1/traces";
const NAME = "anygpt-discovery";

/**
 * Returns the trace settings; undefined if traces are disabled. The configuration takes precedence over the
 * environment.
 */
export function toTraceSettings(env: Env, options: TracesOptions = {}): TraceSettings | undefined {
  if (!isEnabled(env, options)) return undefined;
  const endpoint = options.endpoint ?? endpointIn(env) ?? COLLECTOR;
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new DiscoveryError(
      "CONFIGURATION_ERROR",
      "The endpoint of the trace collector is not a valid http or https URL.",
      {
        hint: { action: "set-variable", name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "an http or https address" },
      },
    );
  }
  return {
    endpoint,
    headers: parsePairs(env["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] ?? env["OTEL_EXPORTER_OTLP_HEADERS"]),
    ratio: options.ratio ?? ratioIn(env),
    resource: {
      ...parsePairs(env["OTEL_RESOURCE_ATTRIBUTES"]),
      "service.name": env["OTEL_SERVICE_NAME"] || parsePairs(env["OTEL_RESOURCE_ATTRIBUTES"])["service.name"] || NAME,
    },
  };
}

function isEnabled(env: Env, { enabled, endpoint }: TracesOptions): boolean {
  if (enabled !== undefined) return enabled;
  if (endpoint !== undefined) return true;
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return false;
  const exporter = env["OTEL_TRACES_EXPORTER"]?.trim();
  return exporter ? exporter.split(",").includes("otlp") : endpointIn(env) !== undefined;
}

/**
 * The URL for traces in the environment. The general endpoint is extended by the path for traces, as OpenTelemetry
 * requires.
 */
function endpointIn(env: Env): string | undefined {
  const own = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]?.trim();
  if (own) return own;
  const general = env["OTEL_EXPORTER_OTLP_ENDPOINT"]?.trim();
  return general ? `${general.replace(/\/+$/, "")}/v1/traces` : undefined;
}

function ratioIn(env: Env): number {
  const sampler = env["OTEL_TRACES_SAMPLER"] ?? "";
  if (sampler.endsWith("always_off")) return 0;
  if (!sampler.endsWith("traceidratio")) return 1;
  const ratio = Number(env["OTEL_TRACES_SAMPLER_ARG"] ?? "1");
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}

/** Parses `key=value,other=value` with percent-encoding, the format of OpenTelemetry variables. */
function parsePairs(text = ""): Record<string, string> {
  const pairs = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
