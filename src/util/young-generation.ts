import { setFlagsFromString } from "node:v8";

const FLAG = "--semi-space-growth-factor";
/** V8's own. */
const USUAL = 2;

let under = 0;

/**
 * V8 makes the space for young objects larger when many of them survive, and keeps it so for the rest of a process that
 * is idle afterwards. For work whose product stays and is made rarely, that costs more memory than it saves time.
 */
export async function withoutGrowth<T>(work: () => Promise<T>): Promise<T> {
  if (isChosenByOthers()) return await work();
  under += 1;
  setFlagsFromString(`${FLAG}=1`);
  try {
    return await work();
  } finally {
    under -= 1;
    if (under === 0) setFlagsFromString(`${FLAG}=${USUAL}`);
  }
}

function isChosenByOthers(): boolean {
  return process.execArgv.some((argument) => argument.replaceAll("_", "-").startsWith(FLAG));
}
