// A process that lists one server's tools repeatedly and reports each listing; arguments: the store's file and name.
import { createCatalog } from "../../src/catalog/catalog.js";
import { createCatalogDisk } from "../../src/catalog/disk.js";
import type { ServerDefinition, ServerListing } from "../../src/model/server.js";
import { createStore } from "../../src/store/create-store.js";

export const WRITTEN: ServerDefinition = {
  name: "a",
  connection: { kind: "stdio", command: "a", args: [], env: {} },
  manifest: [],
  origin: "inline",
};

/** Every tool names its listing; long enough that a partial write would be noticed. */
export function markedListing(mark: string): ServerListing {
  const names = Array.from({ length: 50 }, (_, n) => `t${n}`);
  const description = `${mark} ${"-".repeat(500)}`;
  const tools = names.map((name) => ({ name, description, inputSchema: { type: "object" } }));
  return { tools, dropped: [], truncated: false, era: "legacy" };
}

async function writeEndlessly(file: string, name: string): Promise<never> {
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const { catalog: records } = createStore({ file, inline: true });
  const disk = createCatalogDisk(records, fail);
  const decide = () => ({ enabled: true, tags: [] });
  const catalog = createCatalog({ definitions: [WRITTEN], decide, disk, now: Date.now, log: () => undefined });
  for (let round = 0; ; round += 1) {
    const mark = `${name}-${round}`;
    await catalog.learn(WRITTEN.name, markedListing(mark));
    process.send?.(mark);
    // Messages are sent only when the thread yields.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const [, , file, name] = process.argv;
if (process.send !== undefined && file !== undefined && name !== undefined) void writeEndlessly(file, name);
