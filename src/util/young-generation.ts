import { setFlagsFromString } from "node:v8";

const FLAG = "--semi-space-growth-factor";
/** The default growth factor of V8. */
const DEFAULT_FACTOR = 2;

let running = 0;

/**
 * Runs work while V8 does not enlarge its young generation. V8 enlarges it if many objects survive, and keeps it large
 * even if the process is idle afterwards. For rare work with a lasting result, the saved time is not worth that memory.
 */
export async function withoutGrowth<T>(work: () => Promise<T>): Promise<T> {
  if (isSetByUser()) return await work();
  running += 1;
  setFlagsFromString(`${FLAG}=1`);
  try {
    return await work();
  } finally {
    running -= 1;
    if (running === 0) setFlagsFromString(`${FLAG}=${DEFAULT_FACTOR}`);
  }
}

function isSetByUser(): boolean {
  return process.execArgv.some((argument) => argument.replaceAll("_", "-").startsWith(FLAG));
}
