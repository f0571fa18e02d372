import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../config/load.js";
import { createVariables } from "../config/variables.js";
import { toRuntimeEnvironment } from "./runtime-environment.js";
import { findConfiguredServers } from "./configured-servers.js";
import { createStore } from "../store/create-store.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "servers-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function find(config: object) {
  const path = join(folder, "config.json");
  writeFileSync(path, JSON.stringify(config));
  const env = { HOME: folder };
  const runtime = toRuntimeEnvironment({ cwd: folder, env, stateFolder: join(folder, "state") });
  const loaded = await loadConfig({ cwd: folder, home: folder, anygptHome: runtime.stateFolder, env, path });
  const { toolFiles: versions } = createStore({ file: join(folder, "store.db"), inline: true });
  return await findConfiguredServers({
    loaded,
    runtime,
    variables: createVariables(runtime),
    versions,
    previous: undefined,
  });
}

describe("adapters", () => {
  it("are servers whose connections change with their documents, which are watched", async () => {
    const document = join(folder, "api.json");
    writeFileSync(document, "{}");
    const first = await find({ adapters: { shop: { document: "api.json" } } });
    expect(first.servers).toMatchObject([{ name: "shop", connection: { kind: "rest", document } }]);
    expect(first.files).toContain(document);
    writeFileSync(document, "{ }");
    const second = await find({ adapters: { shop: { document: "api.json" } } });
    expect(second.servers[0]?.connection).not.toEqual(first.servers[0]?.connection);
  });

  it("replace a server of another program with the same name, with a notice", async () => {
    writeFileSync(join(folder, "more.yaml"), "servers:\n  shop: { command: x }\n  other: { command: x }\n");
    const { servers, notices } = await find({
      adapters: { shop: { document: "api.json" } },
      sources: [{ type: "custom", path: "more.yaml" }],
    });
    expect(servers.map(({ name, connection }) => [name, connection.kind])).toEqual([
      ["other", "stdio"],
      ["shop", "rest"],
    ]);
    expect(notices.join("\n")).toContain('The server "shop" from');
  });

  it("cannot have the same name as a server", async () => {
    const config = { adapters: { shop: { document: "a.json" } }, servers: { shop: { command: "x" } } };
    await expect(find(config)).rejects.toMatchObject({
      message: expect.stringContaining("has the same name as a server"),
    });
  });

  it("that are disabled are not included", async () => {
    expect((await find({ adapters: { shop: { document: "a.json", enabled: false } } })).servers).toEqual([]);
  });
});
