import type { DaemonStatus } from "../../daemon/requests.js";
import type { JsonObject } from "../../model/json.js";

export function toDaemonJson(status: DaemonStatus): JsonObject {
  return {
    pid: status.pid,
    since: status.since,
    folder: status.cwd,
    configuration: status.config,
    version: status.version,
    servers: status.servers,
    memory_bytes: status.memoryBytes,
    commands_running: status.running,
    commands_served: status.served,
    idle_seconds: Math.round(status.idleSeconds),
    ending: status.isLeaving,
  };
}
