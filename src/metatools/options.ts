import { z } from "zod";

/** The schema of the configuration key `profile`. */
export const profileOptions = z
  .enum(["discovery", "gateway"])
  .default("discovery")
  .describe(
    "Which five tools agents see: `discovery` has `search_tools`, `execute_tool` and three more, `gateway` has " +
      "`gateway.intent`, `gateway.execute` and three more. Both cover all servers and adapters.",
  );

/** The schema of the configuration key `mode`. */
export const modeOptions = z
  .enum(["lazy", "full"])
  .default("lazy")
  .describe(
    "`lazy` lists the five tools of the profile; `full` lists every enabled tool of every server. The environment variable `MCP_TOOL_MODE` overrides this option.",
  );

/** The schema of the configuration section `gateway`. */
export const gatewayOptions = z
  .strictObject({
    minConfidence: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe(
        "Below this confidence, from 0 to 1, `gateway.intent` recommends no tool and returns options to choose from. " +
          "The environment variable `MCP_SEARCH_MIN_CONFIDENCE` overrides this option.",
      ),
    limit: z
      .int()
      .min(1)
      .max(50)
      .default(3)
      .describe(
        "The maximum number of alternatives that `gateway.intent` returns if the caller passes no limit. The environment variable `MCP_DEFAULT_LIMIT` overrides this option.",
      ),
    registry: z
      .string()
      .min(1)
      .optional()
      .describe(
        "File with the exported registry of operations. If it differs from the live catalog, `gateway.intent` is " +
          "disabled and its error lists the differences. The environment variable `MCP_REGISTRY_PATH` overrides this option.",
      ),
    dots: z
      .boolean()
      .default(true)
      .describe(
        "`false` replaces the dot in the names of the tools with `_`, for clients that reject names with dots.",
      ),
  })
  .prefault({})
  .describe("Settings of the profile `gateway`.");

export type Profile = z.output<typeof profileOptions>;
export type Mode = z.output<typeof modeOptions>;
export type GatewayOptions = z.output<typeof gatewayOptions>;

/** Environment variables, each with the configuration key that it overrides and whether its value is a number. */
const VARIABLES: readonly (readonly [variable: string, path: readonly string[], isNumber: boolean])[] = [
  ["MCP_TOOL_MODE", ["mode"], false],
  ["MCP_REGISTRY_PATH", ["gateway", "registry"], false],
  ["MCP_SEARCH_MIN_CONFIDENCE", ["gateway", "minConfidence"], true],
  ["MCP_DEFAULT_LIMIT", ["gateway", "limit"], true],
];

export interface FromEnvironment {
  /** The values of the environment variables, which override the configuration. */
  readonly values: {
    readonly mode?: unknown;
    readonly gateway?: Readonly<Record<string, unknown>>;
  };
  readonly problems: readonly { readonly variable: string; readonly reason: string }[];
}

const checks = z.object({ mode: modeOptions.optional(), gateway: gatewayOptions.unwrap().partial().optional() });

/** Reads the environment variables that override `mode` and `gateway`. An empty variable is ignored. */
export function fromEnvironment(env: Readonly<Record<string, string | undefined>>): FromEnvironment {
  const values: Record<string, unknown> = {};
  const gateway: Record<string, unknown> = {};
  for (const [variable, [section = "", key], isNumber] of VARIABLES) {
    const text = env[variable]?.trim() ?? "";
    if (text === "") continue;
    const value = isNumber && /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
    if (key === undefined) values[section] = value;
    else gateway[key] = value;
  }
  if (Object.keys(gateway).length > 0) values["gateway"] = gateway;
  const checked = checks.safeParse(values);
  if (checked.success) return { values, problems: [] };
  const problems = checked.error.issues.map(({ path, message }) => ({
    variable: VARIABLES.find(([, key]) => key.join(".") === path.join("."))?.[0] ?? path.join("."),
    reason: message,
  }));
  return { values: {}, problems };
}
