import { createStore } from "../../src/store/create-store.js";

/** All that is on record in the store, oldest first. */
export async function recordsIn(file: string): Promise<Record<string, unknown>[]> {
  const store = createStore({ file, inline: true });
  try {
    return (await store.audit.read({})).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  } finally {
    await store.close();
  }
}
