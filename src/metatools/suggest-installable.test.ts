import { describe, expect, it } from "vitest";
import type { CatalogServer, Snapshot } from "../catalog/snapshot.js";
import type { Directory } from "../directory/directory.js";
import type { Suggestion } from "../directory/rank.js";
import { addServerNote, suggestInstallable } from "./suggest-installable.js";

const suggestion = (isSure: boolean): Suggestion => ({
  entry: {
    name: "@acme/sms",
    description: "",
    package: { registry: "npm", identifier: "@acme/sms", version: "1.2.3" },
    transport: "stdio",
    arguments: [],
    variables: [],
    tools: [],
  },
  tools: ["send_sms", "list_sms"],
  confidence: isSure ? 0.9 : 0.3,
  isSure,
});

const directory = (found: readonly Suggestion[]): Directory => ({
  search: async () => found,
  get: async () => undefined,
});

const snapshotWith = (args: readonly string[]): Snapshot => {
  const connection = { kind: "stdio", command: "npx", args, env: {} } as const;
  const server: CatalogServer = {
    definition: { name: "one", connection, manifest: [], origin: "inline" },
    record: undefined,
    tools: [],
    failure: undefined,
    quarantines: new Map(),
  };
  return { servers: new Map([["one", server]]), tools: new Map() };
};

describe("suggestInstallable", () => {
  it("suggests a certain match of the directory", async () => {
    const found = await suggestInstallable("send an SMS", snapshotWith([]), directory([suggestion(true)]));
    expect(found.map(addServerNote)).toEqual([
      "A server that is not configured fits. The user can add it with: anygpt mcp add @acme/sms (tools: send_sms, list_sms)",
    ]);
  });

  it("does not suggest an uncertain match", async () => {
    expect(await suggestInstallable("x", snapshotWith([]), directory([suggestion(false)]))).toEqual([]);
  });

  it.each(["@acme/sms", "@acme/sms@1.0.0"])("does not suggest a server that is configured as %s", async (spec) => {
    expect(await suggestInstallable("x", snapshotWith(["-y", spec]), directory([suggestion(true)]))).toEqual([]);
  });

  it("suggests nothing when the directory cannot be read", async () => {
    const broken: Directory = { search: () => Promise.reject(new Error("broken")), get: async () => undefined };
    expect(await suggestInstallable("x", snapshotWith([]), broken)).toEqual([]);
  });
});
