import { createMessageMonitor } from "../../src/upstreams/message-monitor.js";

/** What a transport needs to count the faulty messages of a server. */
export function monitored(server: string, log: (message: string) => void = () => undefined) {
  const monitor = createMessageMonitor({ server, elapsed: () => performance.now(), log });
  return { monitor, onMissedChange: (): void => undefined };
}
