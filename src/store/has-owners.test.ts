import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createStore } from "./create-store.js";
import { hasOwners, ownersFolder } from "./has-owners.js";
import type { Store } from "./store.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "store-"));
  file = join(folder, "state", "store.db");
});
const opened: Store[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(folder, { recursive: true, force: true });
});
const open = (): Store => {
  const store = createStore({ file, inline: true });
  opened.push(store);
  return store;
};

const INTENT = { kind: "intent", request_id: "r", timestamp: "2026-01-01T00:00:00.000Z" } as const;

async function dispatch({ keys }: Store): Promise<void> {
  const request = { fingerprint: "f", requestId: "r", now: 1, ttlMs: 1000 };
  const reserved = await keys.reserve({ actor: "a", tool: "s:t", key: "k" }, request);
  if (reserved.kind === "reserved") await keys.dispatch(reserved.claim, 2);
}

describe("hasOwners", () => {
  it("returns false without a store, and after every process that used it has finished", async () => {
    expect(await hasOwners(file)).toBe(false);
    const store = open();
    await store.prepare();
    expect(await hasOwners(file)).toBe(true);
    await store.close();
    expect(await hasOwners(file)).toBe(false);
  });

  it("stays true while a call without an outcome must be recovered, even if other processes open and close the store", async () => {
    const gone = open();
    await dispatch(gone);
    await gone.audit.append([INTENT]);
    await gone.close();
    expect(await hasOwners(file)).toBe(true);

    const visitor = open();
    await visitor.audit.openIntents();
    await visitor.keys.list({ now: 3 });
    await visitor.prepare();
    await visitor.close();
    expect(await hasOwners(file)).toBe(true);

    const recovering = open();
    expect(await recovering.keys.recover(4)).toHaveLength(1);
    await recovering.close();
    expect(await hasOwners(file)).toBe(true);

    const closing = open();
    expect(await closing.audit.openIntents()).toMatchObject([{ isOrphan: true }]);
    await closing.audit.append([{ ...INTENT, kind: "outcome", outcome: "unknown" }]);
    await closing.close();
    expect(await hasOwners(file)).toBe(false);
  });

  it("returns true when the folder cannot be read", async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(ownersFolder(file), "");
    expect(await hasOwners(file)).toBe(true);
  });
});
