import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FaultHome } from "./home.js";

const CLOCK = fileURLToPath(new URL("./clock-preload.mjs", import.meta.url));

/** The same home folder for a gateway whose clock is wrong by this much; writing to the file shifts it further. */
export function withClock(home: FaultHome, offsetMs: number, file = home.path(`clock-${offsetMs}`)): FaultHome {
  writeFileSync(file, String(offsetMs));
  return { ...home, env: { ...home.env, NODE_OPTIONS: `--import ${CLOCK}`, FAULT_CLOCK: file } };
}
