import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { FaultHome } from "./home.js";

const INSIDE = fileURLToPath(new URL("./inside.mjs", import.meta.url));

/** Bytes of a process after a garbage collection. */
export interface Inside {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** Every gateway opened in this home folder from now on can report its memory. */
export function makeTransparent(home: FaultHome): void {
  home.env["NODE_OPTIONS"] = `--import=${INSIDE}`;
  home.env["FAULT_INSIDE"] = home.path("inside");
}

export async function lookInside(home: FaultHome, pid: number): Promise<Inside> {
  return JSON.parse(await text(connect(`${home.path("inside")}-${pid}`))) as Inside;
}
