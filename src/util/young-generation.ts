import { setFlagsFromString } from "node:v8";

const FLAG = "--semi-space-growth-factor";
/** The default of V8. */
const USUAL = 2;

let under = 0;

/**
 * V8 enlarges its young generation when many objects survive, and keeps it large even if the process is idle
 * afterwards. For rare work with a lasting result, that costs more memory than it saves time.
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
