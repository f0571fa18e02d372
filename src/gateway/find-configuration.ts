// Finds and loads the configuration file of this user or project, or loads a given file.
import { givenConfig, type LoadedConfig, type LoadParts, loadConfig, parseConfig } from "../config/load.js";
import { DiscoveryError } from "../errors.js";
import { depthOf, type RuntimeOptions, toRuntimeEnvironment } from "./runtime-environment.js";
import { hasOwnAncestor } from "./self-detection.js";

/** Which configuration to load. */
export interface FindOptions extends RuntimeOptions {
  /** The path of the configuration file. Default: the file that the CLI would use. */
  readonly configPath?: string;
  /**
   * The id of a process: if that process or one of its ancestors is a gateway, this gateway counts as started by
   * another gateway. Default: the parent process. @internal
   */
  readonly startedBy?: number;
}

const MAX_DEPTH = 2;

/** Returns the runtime environment for the options, and the parameters for loading the configuration. @internal */
export function environmentFor({ configPath, ...options }: FindOptions) {
  const runtime = toRuntimeEnvironment(options);
  const loadParts: LoadParts = {
    cwd: runtime.cwd,
    env: options.env ?? process.env,
    home: runtime.home,
    anygptHome: runtime.stateFolder,
    isTrusted: (file, content) => runtime.trust.isTrusted(file, content),
    ...(configPath === undefined ? {} : { path: configPath }),
  };
  return { ...runtime, loadParts };
}

/**
 * Loads the configuration. If another gateway started this one, only an explicitly named configuration is used, and
 * more than 2 nested gateways are an error. This prevents gateways from starting each other endlessly.
 */
export async function findConfiguration({ startedBy = process.ppid, ...options }: FindOptions): Promise<LoadedConfig> {
  const { loadParts, own } = environmentFor(options);
  const { cwd, env } = loadParts;
  const depth = depthOf(env);
  if (depth > MAX_DEPTH) throw tooDeep(depth);
  const isExplicit = options.configPath !== undefined || Boolean(env["ANYGPT_CONFIG"]);
  const isNested = depth > 0 || hasOwnAncestor(own(), startedBy);
  if (isExplicit || !isNested) return await loadConfig({ ...loadParts, isNested });
  return { ...givenConfig(parseConfig({}), cwd, [NESTED]), origin: "nested" };
}

const NESTED =
  "This gateway was started by another gateway, so it does not search for a configuration and imports no servers. To connect one gateway to another, name a configuration file with --config.";

function tooDeep(depth: number): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `This gateway was started by a chain of ${depth} other gateways.`, {
    hint: `Remove the server that starts the gateway from the configuration. A chain may have at most ${MAX_DEPTH} gateways.`,
    facts: { depth },
  });
}
