// Calls and lists for named servers come in, answers go out. It knows connections, time and failure, and refuses to know
// catalog, rules and policy: whoever calls has decided already.
import { DiscoveryError } from "../errors.js";
import { builtFile } from "../util/built-file.js";
import { childEnvironment } from "./process/child-environment.js";
import { createReaper } from "./process/reap-client.js";
import { scheduleUnref } from "./schedule.js";
import type { Upstreams, UpstreamsParts } from "./types.js";
import { Upstream } from "./upstream.js";

const CLOSE_MS = 5_000;

export function createUpstreams(parts: UpstreamsParts): Upstreams {
  const servers = new Map<string, Upstream>();
  /** Those that still have calls in them but take no new ones. */
  const retired = new Set<Upstream>();
  /** All connections read from this one object, so that a change of it reaches them. */
  const options = { ...parts.options };
  const reaper = createReaper({
    program: builtFile("reaper.js"),
    env: childEnvironment(parts.env, {}),
    log: parts.log,
  });
  let closing: Promise<void> | undefined;

  function upstream(server: string): Upstream {
    if (closing !== undefined) throw shuttingDown(server);
    const known = servers.get(server);
    if (known !== undefined) return known;
    const added = new Upstream({ ...parts, options, server, reaper, schedule: scheduleUnref });
    servers.set(server, added);
    return added;
  }

  async function drop(server: string): Promise<void> {
    const old = servers.get(server);
    if (old === undefined) return;
    servers.delete(server);
    retired.add(old);
    await old.retire();
    retired.delete(old);
  }

  async function closeAll(): Promise<void> {
    const all = Promise.all([...servers.values(), ...retired].map((server) => server.close()));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([all, late]);
    clearTimeout(timer);
    reaper.close();
  }

  return {
    call: async (target, call, signal) => upstream(target.name).call(target, call, signal),
    list: async (target, signal) => upstream(target.name).list(target, signal),
    state: (server) => servers.get(server)?.state() ?? { kind: "closed" },
    stderr: (server) => servers.get(server)?.stderr() ?? [],
    drop,
    adopt(next) {
      Object.assign(options, next.options);
      const isSame = ([name, { identity }]: [string, Upstream]): boolean =>
        identity !== undefined && identity === next.identities.get(name);
      const stale = [...servers].filter((entry) => !isSame(entry)).map(([name]) => name);
      for (const name of stale) void drop(name);
      return stale;
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

function shuttingDown(server: string): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", "The gateway is shutting down.", { server });
}
