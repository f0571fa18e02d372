import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FaultHome } from "./home.js";

const CLOCK = fileURLToPath(new URL("./clock-preload.mjs", import.meta.url));

/** The same home for a gateway whose time of day is wrong by so much; whoever writes to the file moves it on. */
export function withClock(home: FaultHome, offsetMs: number, file = home.path(`clock-${offsetMs}`)): FaultHome {
  writeFileSync(file, String(offsetMs));
  return { ...home, env: { ...home.env, NODE_OPTIONS: `--import ${CLOCK}`, FAULT_CLOCK: file } };
}
