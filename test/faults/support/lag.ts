import { existsSync, readFileSync, rmSync } from "node:fs";
import { waitFor } from "./deadline.js";
import type { FaultHome } from "./home.js";

/** Milliseconds by which the event loop of a gateway was late, since the last look. */
export interface Lag {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export const lagFile = (home: FaultHome): string => home.path("lag.json");

/** Of a gateway that was opened with `measuresLag`. What the reading itself costs counts for the next look. */
export async function readLag(home: FaultHome, pid: number): Promise<Lag> {
  const file = lagFile(home);
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  await waitFor(() => existsSync(file), "measurement of the event loop");
  return JSON.parse(readFileSync(file, "utf8")) as Lag;
}
