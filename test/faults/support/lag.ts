import { existsSync, readFileSync, rmSync } from "node:fs";
import { waitFor } from "./deadline.js";
import type { FaultHome } from "./home.js";

/** The lag of a gateway's event loop in milliseconds, since the last reading. */
export interface Lag {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export const lagFile = (home: FaultHome): string => home.path("lag.json");

/** For a gateway opened with `measuresLag`. The cost of the reading itself counts for the next one. */
export async function readLag(home: FaultHome, pid: number): Promise<Lag> {
  const file = lagFile(home);
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  await waitFor(() => existsSync(file), "measurement of the event loop lag");
  return JSON.parse(readFileSync(file, "utf8")) as Lag;
}
