import { describe, expect, it } from "vitest";
import { givenConfig, parseConfig } from "../config/load.js";
import { DiscoveryError } from "../errors.js";
import { notesFor, noticesOf } from "./notices.js";

const loaded = { ...givenConfig(parseConfig({}), "/", ["One file is ignored."]), untrusted: ["/p/anygpt.config.ts"] };
const connection = { kind: "http", url: "https://${HOST}/${TOKEN}", headers: { a: "${TOKEN} ${SET}" } } as const;
const collected = {
  servers: [{ name: "a", connection, manifest: [], origin: "inline" }],
  sources: [{ type: "cursor", path: "/p/.cursor/mcp.json", status: "untrusted", servers: 0 }],
  problems: [{ file: "/x.yaml", path: "servers", line: 1, column: 2, reason: "is wrong" }],
  notices: ["A server was renamed."],
  toolRules: [],
  files: [],
  absent: [],
  origins: new Map(),
  serversByFile: new Map(),
  untrusted: [{ file: "/p/.cursor/mcp.json", content: new Uint8Array(), effects: ["a starts x"] }],
} as const;
const variables = {
  resolve: (text: string) => text,
  originOf: (name: string) =>
    name === "SET" ? ({ kind: "process" } as const) : ({ kind: "untrusted", file: "/p/.env" } as const),
  notices: () => ["/p/.env:1 is not an assignment and was ignored."],
  files: [],
  note: () => undefined,
};

describe("noticesOf", () => {
  it("reports all notices, and each untrusted .env file once with its variables", () => {
    expect(noticesOf(loaded, collected, variables)).toEqual([
      "/p/anygpt.config.ts can start programs and its current content is not trusted, so it was skipped. Review it, then run `anygpt mcp config trust`.",
      "/p/.cursor/mcp.json can start programs and its current content is not trusted, so it was skipped. Review it, then run `anygpt mcp config trust`.",
      "One file is ignored.",
      "A server was renamed.",
      "/x.yaml:1:2: servers: is wrong",
      "/p/.env:1 is not an assignment and was ignored.",
      "/p/.env sets HOST, TOKEN, but is not used, because it is not trusted yet. Review it, then run `anygpt mcp config trust`.",
    ]);
  });
});

describe("notesFor", () => {
  it("names every untrusted file, and why the changed configuration is not used", () => {
    const failure = new DiscoveryError("CONFIGURATION_ERROR", "/c.json:1:1: the file is empty.");
    expect(notesFor(loaded, { ...collected, problems: [] }, failure)).toEqual([
      "These files are not used until the user reviews and trusts them with `anygpt mcp config trust`: /p/anygpt.config.ts, /p/.cursor/mcp.json.",
      "The changed configuration is invalid, so the previous one stays active. /c.json:1:1: the file is empty.",
    ]);
    const calm = { ...collected, untrusted: [], problems: [] };
    expect(notesFor({ ...loaded, untrusted: [] }, calm, undefined)).toEqual([]);
  });

  it("reports which servers are used without a configuration, and which are not", () => {
    const implicit = { ...loaded, origin: "defaults", isImplicit: true, untrusted: [] } as const;
    const read = {
      type: "cursor",
      path: "/h/.cursor/mcp.json",
      status: "ok",
      servers: 2,
      skipped: [
        { name: "gw", kind: "gateway", reason: "this gateway itself" },
        { name: "x", kind: "duplicate", reason: "the same as a" },
      ],
    } as const;
    const broken = {
      type: "zed",
      path: "/h/zed.json",
      status: "broken",
      servers: 0,
      message: "/h/zed.json:1:1: no",
    } as const;
    const imported = { ...collected, untrusted: [], sources: [read, broken] };
    expect(notesFor(implicit, imported, undefined)).toEqual([
      "Without a configuration file, 2 servers from cursor are used; omitted: 1 duplicate, this gateway itself. `anygpt mcp config sources` shows more.",
      "These files could not be read: /h/zed.json.",
    ]);
    expect(notesFor(implicit, { ...imported, sources: [] }, undefined)).toEqual([]);
    expect(notesFor(implicit, { ...imported, sources: [], servers: [] }, undefined)).toEqual([
      "There is no configuration file, and no MCP servers were found in the configurations of other programs.",
    ]);
  });

  it("includes the notices of a nested gateway", () => {
    expect(
      notesFor({ ...loaded, origin: "nested", untrusted: [] }, { ...collected, untrusted: [] }, undefined),
    ).toEqual(["One file is ignored."]);
  });
});
