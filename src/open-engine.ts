// An engine on the configuration found on this machine, or on a given file.
import { givenConfig, type LoadedConfig, type LoadParts, loadConfig, parseConfig } from "./config/load.js";
import { DiscoveryEngine, type EngineOptions } from "./engine.js";
import { DiscoveryError } from "./errors.js";
import { hasOwnAncestor } from "./own-program.js";
import { depthOf, toPlace } from "./place.js";

export interface OpenOptions extends EngineOptions {
  readonly configPath?: string;
  /** The process from which on ancestors are searched for a gateway; the parent process by default. @internal */
  readonly startedBy?: number;
}

/** Where an engine with these options would look, and whom it trusts there. @internal */
export function placeFor({ configPath, ...options }: OpenOptions) {
  const place = toPlace(options);
  const loadParts: LoadParts = {
    cwd: place.cwd,
    env: options.env ?? process.env,
    home: place.home,
    anygptHome: place.stateFolder,
    isTrusted: (file, content) => place.trust.isTrusted(file, content),
    ...(configPath === undefined ? {} : { path: configPath }),
  };
  return { ...place, loadParts };
}

const DEEPEST = 2;

/**
 * An engine on the configuration found on this machine, or on the given file. A gateway that was started by a gateway
 * offers only what it was explicitly given, and at some depth none starts at all: none can start itself without end.
 */
export function openEngine(given: OpenOptions = {}): DiscoveryEngine {
  const { configPath, startedBy = process.ppid, ...options } = given;
  const { loadParts, own } = placeFor({ ...options, ...(configPath === undefined ? {} : { configPath }) });
  const { cwd, env } = loadParts;
  const depth = depthOf(env);
  const isExplicit = configPath !== undefined || Boolean(env["ANYGPT_CONFIG"]);
  const load = async (): Promise<LoadedConfig> => {
    if (depth > DEEPEST) throw tooDeep(depth);
    const isNested = depth > 0 || hasOwnAncestor(own(), startedBy);
    if (isExplicit || !isNested) return await loadConfig({ ...loadParts, isNested });
    return { ...givenConfig(parseConfig({}), cwd, [NESTED]), origin: "nested" };
  };
  return new DiscoveryEngine({}, { ...options, load });
}

const NESTED =
  "This gateway was started by another one, so it looks for no configuration and imports no servers. Name a file with --config to put one gateway behind another.";

function tooDeep(depth: number): DiscoveryError {
  return new DiscoveryError(
    "CONFIGURATION_ERROR",
    `This gateway was started through ${depth} others, one by the other.`,
    {
      hint: `Find the server that starts the gateway, and take it out of the configuration. At most ${DEEPEST} may stand before another.`,
      facts: { depth },
    },
  );
}
