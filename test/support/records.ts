import { createStore } from "../../src/store/create-store.js";
import { driver } from "../../src/store/sqlite/driver.js";

/** All audit records in the store, oldest first. */
export async function recordsIn(file: string): Promise<Record<string, unknown>[]> {
  const store = createStore({ file, inline: true });
  try {
    return (await store.audit.read({})).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  } finally {
    await store.close();
  }
}

/** The servers whose tools are stored. */
export function catalogIn(file: string): string[] {
  const database = new (driver().DatabaseSync)(file);
  try {
    return database
      .prepare("SELECT server FROM catalog ORDER BY server")
      .all()
      .map(({ server }) => String(server));
  } finally {
    database.close();
  }
}
