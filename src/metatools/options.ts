import { z } from "zod";

/** The key `profile` of the configuration. */
export const profileOptions = z
  .enum(["discovery", "gateway"])
  .default("discovery")
  .describe(
    "Which five tools agents see: `discovery` has `search_tools`, `execute_tool` and their neighbours, `gateway` has " +
      "`gateway.intent`, `gateway.execute` and theirs. Both cover all servers and adapters.",
  );

/** The key `mode` of the configuration. */
export const modeOptions = z
  .enum(["lazy", "full"])
  .default("lazy")
  .describe(
    "`lazy` lists the five tools of the profile; `full` lists every enabled tool as its own. `MCP_TOOL_MODE` overrides it.",
  );

/** The section `gateway` of the configuration. */
export const gatewayOptions = z
  .strictObject({
    minConfidence: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe(
        "Below this confidence, from 0 to 1, `gateway.intent` recommends nothing and gives options to choose from. " +
          "`MCP_SEARCH_MIN_CONFIDENCE` overrides it.",
      ),
    limit: z
      .int()
      .min(1)
      .max(50)
      .default(3)
      .describe(
        "How many alternatives `gateway.intent` gives at most when the caller names no limit. `MCP_DEFAULT_LIMIT` overrides it.",
      ),
    registry: z
      .string()
      .min(1)
      .optional()
      .describe(
        "File with the exported registry of operations. When it disagrees with the live catalog, `gateway.intent` is " +
          "switched off and says why. `MCP_REGISTRY_PATH` overrides it.",
      ),
    dots: z
      .boolean()
      .default(true)
      .describe("`false` spells the dot in the tools' names as `_`, for clients that refuse names with dots."),
  })
  .prefault({})
  .describe("The tools of the profile `gateway`.");

export type Profile = z.output<typeof profileOptions>;
export type Mode = z.output<typeof modeOptions>;
export type GatewayOptions = z.output<typeof gatewayOptions>;

/** Variables of the process, the keys whose place they take, and how their text is read. */
const VARIABLES: readonly (readonly [variable: string, path: readonly string[], isNumber: boolean])[] = [
  ["MCP_TOOL_MODE", ["mode"], false],
  ["MCP_REGISTRY_PATH", ["gateway", "registry"], false],
  ["MCP_SEARCH_MIN_CONFIDENCE", ["gateway", "minConfidence"], true],
  ["MCP_DEFAULT_LIMIT", ["gateway", "limit"], true],
];

export interface FromEnvironment {
  /** To be laid over what the configuration says. */
  readonly values: {
    readonly mode?: unknown;
    readonly gateway?: Readonly<Record<string, unknown>>;
  };
  readonly problems: readonly { readonly variable: string; readonly reason: string }[];
}

const checks = z.object({ mode: modeOptions.optional(), gateway: gatewayOptions.unwrap().partial().optional() });

/** What the environment says of the gateway's own tools. An empty variable says nothing. */
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
    variable: VARIABLES.find(([, place]) => place.join(".") === path.join("."))?.[0] ?? path.join("."),
    reason: message,
  }));
  return { values: {}, problems };
}
