import { expect, it } from "vitest";
import { CLIENT_IDS } from "../options.js";
import type { System } from "../system.js";
import { CLIENTS } from "./table.js";

const SYSTEM: System = { platform: "linux", home: "/home/me", cwd: "/app", env: {} };
const KEYS = ["mcpServers", "servers", "mcp", "context_servers", "extensions", "mcp_servers", "registry", "projects"];
const ODD: unknown[] = [null, 5, "x", true, [], {}, [null], { a: null }, { a: 5 }, { a: [] }, { "/app": 1, a: {} }];
const ENTRIES: unknown[] = [
  { command: {}, args: 5, env: [], headers: 3, type: 7, tools: {}, disabled: "yes" },
  { command: ["x", 5], url: [], environment: 7, transport: { type: [] }, requestOptions: 5, envs: 3, type: "stdio" },
  { command: { path: 5 }, cmd: [], type: "sse", uri: {}, env_keys: 5, env_vars: [null, {}], http_headers: [] },
];

/** Values that a file may have instead of a map of servers. */
const documents = [
  ...ODD,
  ...KEYS.flatMap((key) =>
    [...ODD, ...ENTRIES.map((entry) => ({ a: entry, servers: { b: entry } })), ENTRIES].map((value) => ({
      [key]: value,
    })),
  ),
];

it.each(CLIENT_IDS)("%s does not throw for values of any type", (id) => {
  const client = CLIENTS[id];
  for (const { path } of client.locations(SYSTEM)) {
    const layout = client.layoutOf(path);
    for (const document of documents) {
      for (const companion of [undefined, ...ODD]) {
        const context = { system: SYSTEM, path, companions: [companion, companion, companion] };
        expect(Array.isArray(layout.read(document, context).servers)).toBe(true);
        layout.companions?.({ path, document }, SYSTEM);
      }
    }
  }
});
