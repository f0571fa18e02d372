import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { createStore, storeFile } from "../../src/store/create-store.js";
import type { Store } from "../../src/store/store.js";
import { describeStore, type StorePlace } from "./describe-store.js";

const opened: Store[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

async function createPlace(inline: boolean): Promise<StorePlace> {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  folders.push(folder);
  const parts = { file: storeFile(join(folder, "state")), inline };
  return {
    parts,
    open() {
      const store = createStore(parts);
      opened.push(store);
      return store;
    },
  };
}

describeStore("the embedded store, in its own thread", () => createPlace(false));
describeStore("the embedded store, in the calling thread", () => createPlace(true), { withProcesses: false });
