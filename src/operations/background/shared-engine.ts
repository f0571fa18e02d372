import type { Stages } from "../../gateway/stages.js";
import type { Config } from "../../config/options.js";
import { type DiscoveryEngine, openEngine } from "../../engine.js";
import type { OpenOptions } from "../../gateway/engine-options.js";
import type { Reload } from "../../gateway/lifecycle.js";
import { absolutePath } from "../../util/home-path.js";
import type { LogFacts } from "../../util/log.js";
import { homeOf } from "../../util/state-folder.js";

/**
 * Reloads the configuration if its files changed, and returns the engine. Undefined if the command names another
 * configuration.
 */
export type SharedEngine = (
  options: Pick<OpenOptions, "configPath"> & Required<Pick<OpenOptions, "log" | "warn">>,
) => Promise<DiscoveryEngine | undefined>;

export interface SharedEngineParts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The absolute path of the configuration file. Undefined if the user named none. */
  readonly configPath: string | undefined;
  readonly log: (message: string) => void;
}

export interface EngineHost {
  /**
   * Opens the engine and requests the tool lists of servers that are not in the catalog yet. If this fails, the next
   * command reports the error.
   */
  open(onReload: (reload: Reload) => void): void;
  /** Runs a command that may use the engine. Until it ends, the command receives the log messages of the engine. */
  during<T>(run: (engine: SharedEngine) => Promise<T>): Promise<T>;
  reload(): Promise<void>;
  /** The configuration. Undefined until it has been read. */
  config(): Config | undefined;
  /** Names of the servers with an open connection. */
  openServers(): readonly string[];
  /** The text without the secrets that the engine knows. */
  redact(text: string): string;
  close(): Promise<void>;
}

interface Listener {
  readonly log: (message: string, facts?: LogFacts) => void;
  readonly warn: (message: string) => void;
}

/**
 * Creates one engine for all commands of a daemon. The engine logs to the daemon's log file and to the running
 * commands.
 */
export function createSharedEngine({ cwd, env, configPath, log }: SharedEngineParts): EngineHost {
  const listeners = new Set<Listener>();
  let engine: DiscoveryEngine | undefined;
  let stages: Stages | undefined;

  const isSame = (wanted: string | undefined): boolean =>
    (wanted === undefined ? undefined : absolutePath(wanted, { home: homeOf(env), baseDir: cwd })) === configPath;

  return {
    open(onReload) {
      engine = openEngine({
        cwd,
        env,
        ...(configPath === undefined ? {} : { configPath }),
        // 0: no gateway started this process. A CLI command did, and the daemon rejects commands that a gateway
        // started.
        startedBy: 0,
        log(message, facts) {
          log(message);
          for (const listener of listeners) listener.log(message, facts);
        },
        warn(message) {
          log(message);
          for (const listener of listeners) listener.warn(message);
        },
      });
      engine.watch(onReload);
      engine.known().then(
        (known) => (stages ??= known),
        // The next command reports the error.
        () => undefined,
      );
    },
    async during(run) {
      let listener: Listener | undefined;
      try {
        return await run(async (options) => {
          if (engine === undefined || !isSame(options.configPath)) return undefined;
          listener ??= { log: options.log, warn: options.warn };
          listeners.add(listener);
          await engine.applyFileChanges();
          stages = await engine.known();
          return engine;
        });
      } finally {
        if (listener !== undefined) listeners.delete(listener);
      }
    },
    reload: async () => await engine?.reload().catch((error: unknown) => log(String(error))),
    config: () => stages?.config,
    openServers() {
      const names = stages?.discovery.servers().map(({ definition }) => definition.name) ?? [];
      return names.filter((name) => stages?.upstreams.state(name).kind === "open");
    },
    redact: (text) => stages?.runtime.secrets.redact(text) ?? text,
    close: async () => await engine?.close(),
  };
}
