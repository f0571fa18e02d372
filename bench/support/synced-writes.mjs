import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { timeEach } from "./statistics.mjs";

/** The baseline for durability: one synced write of a line with the size of an audit record. */
export async function timeSyncedWrites({ folder, rounds }) {
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_DSYNC ?? 0);
  const handle = await open(join(folder, "synced"), flags);
  const line = "x".repeat(400);
  const times = await timeEach(rounds(500, 100), async () => {
    await handle.appendFile(line);
    if (constants.O_DSYNC === undefined) await handle.datasync();
  });
  await handle.close();
  return times;
}
