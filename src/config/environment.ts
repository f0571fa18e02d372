import { fromEnvironment } from "../metatools/options.js";
import type { Problem } from "../util/document/problem.js";
import { checkSchema } from "../util/document/schema.js";
import { absolutePath } from "../util/home-path.js";
import { toError } from "./failure.js";
import { type Config, configOptions } from "./options.js";

/** Environment variables, home folder and working folder of the process. */
interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
}

/**
 * The environment variable for each key of the section `search`. It applies only if no configuration file sets the key.
 */
const VARIABLES: Readonly<Record<string, string>> = {
  limit: "MCP_DEFAULT_LIMIT",
  minRelevance: "MCP_SEARCH_MIN_CONFIDENCE",
};

/**
 * The keys of the section `search` that environment variables set. Throws CONFIGURATION_ERROR for invalid variables.
 */
export function searchFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, unknown>> {
  const search: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries(VARIABLES)) {
    const text = env[variable]?.trim() ?? "";
    if (text !== "") search[key] = /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  }
  const checked = checkSchema(configOptions.shape.search, search);
  if (checked.kind === "ok") return search;
  const toProblem = (key: string, reason: string): Problem => ({
    file: "The environment",
    path: VARIABLES[key] ?? key,
    reason,
  });
  throw toError(checked.violations.map(({ path, reason }) => toProblem(String(path[0]), reason)));
}

/** Overrides the configuration with environment variables. Throws CONFIGURATION_ERROR for invalid variables. */
export function withEnvironment(config: Config, { env, home, cwd }: Process): Config {
  const { values, problems } = fromEnvironment(env);
  if (problems.length > 0) {
    throw toError(problems.map(({ variable, reason }) => ({ file: "The environment", path: variable, reason })));
  }
  const { mode, gateway } = values as Partial<Pick<Config, "mode" | "gateway">>;
  const registry = gateway?.registry;
  return {
    ...config,
    ...(mode === undefined ? {} : { mode }),
    gateway: {
      ...config.gateway,
      ...gateway,
      ...(registry === undefined ? {} : { registry: absolutePath(registry, { home, baseDir: cwd }) }),
    },
  };
}
