import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { endAll } from "./census.mjs";
import { until, within } from "./limit.mjs";

const OPEN_LIMIT_MS = 90_000;
const CLOSE_LIMIT_MS = 15_000;
const READY_LIMIT_MS = 20_000;

/** A home folder for one gateway only. */
export function createHome(folder, name) {
  mkdirSync(folder, { recursive: true });
  return mkdtempSync(join(folder, `${name}-`));
}

/** Starts the gateway with that home folder and waits until it answers requests. */
export async function openPeer(peer, { servers, home }) {
  const { adapter, place, node } = peer;
  const setting = { servers, home, place, node, env: { PATH: process.env.PATH, HOME: home } };
  const gateway = await within(OPEN_LIMIT_MS, `The start of ${adapter.name}`, adapter.open(setting));
  return {
    ...gateway,
    /** Closes the connection as clients do. `release` ends a gateway that keeps running. */
    async close() {
      await within(CLOSE_LIMIT_MS, `The end of ${adapter.name}`, gateway.close()).catch(() => undefined);
    },
    stop: () => adapter.stop?.(setting),
  };
}

/** Opens a session, uses it, and ends all processes with this home folder. */
export async function withPeer(peer, { servers, home }, use) {
  let gateway;
  try {
    gateway = await openPeer(peer, { servers, home });
    return await use(gateway);
  } finally {
    await gateway?.close();
    gateway?.stop();
    await endAll(home);
  }
}

/** Waits until calls succeed: some gateways answer before their servers are ready. */
export async function untilCalled(gateway, call) {
  let reason = "";
  const isReady = await until(
    READY_LIMIT_MS,
    async () => {
      try {
        await within(READY_LIMIT_MS, "The first call", call(gateway));
        return true;
      } catch (error) {
        reason = error.message;
        return false;
      }
    },
    100,
  );
  if (!isReady) throw new Error(`No call succeeded. ${reason}`);
}
