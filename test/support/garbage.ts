import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Runs the garbage collector. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
