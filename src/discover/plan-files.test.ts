import { describe, expect, it } from "vitest";
import { NOW, sampleFile } from "../../test/support/signed-files.js";
import { DiscoveryError } from "../errors.js";
import type { ServerListing } from "../model/server.js";
import type { ToolFile } from "../toolfiles/format/tool-file.js";
import { toRecordedVersion } from "../toolfiles/version-history.js";
import { type ToolFilePlanParts, planFiles } from "./plan-files.js";
import type { ExistingFile } from "./existing-files.js";

const FILE = sampleFile();
const listingOf = (...tools: ServerListing["tools"]): ServerListing => ({
  tools,
  dropped: [],
  truncated: false,
  era: "modern",
});
const existing = (trust: ExistingFile["trust"], file: ToolFile = FILE): ExistingFile => ({
  toolId: file.toolId,
  path: `/x/${file.toolId}.yaml`,
  bytes: Buffer.from("x"),
  file,
  trust,
  ...(trust === "none" ? { refusal: new DiscoveryError("SIGNATURE_INVALID", "It was changed.") } : {}),
});
const plan = (parts: Partial<ToolFilePlanParts> = {}) =>
  planFiles({
    target: { name: FILE.server, connection: FILE.connection, needs: [] },
    listing: listingOf(FILE.tool),
    existing: [],
    seen: [],
    now: NOW,
    force: false,
    prune: false,
    ...parts,
  });
const OTHER = { ...FILE.tool, description: "Other." };

describe("planFiles", () => {
  it.each<[string, Partial<ToolFilePlanParts>, object]>([
    ["writes a file for a new tool", {}, { kind: "new", isDrift: true, write: { version: "1.0.0" } }],
    [
      "keeps a signed file that matches the server",
      { existing: [existing("signed")] },
      { kind: "unchanged", isDrift: false, write: undefined },
    ],
    [
      "keeps a file with a correct hash",
      { existing: [existing("hash")] },
      { kind: "unchanged", isDrift: false, write: undefined },
    ],
    [
      "does not copy content of a file with only a hash into a signed file",
      { existing: [existing("hash")], listing: listingOf(OTHER) },
      { kind: "edited", isDrift: true, write: undefined, differences: ["The file is not signed.", expect.any(String)] },
    ],
    [
      "reports a tampered file as different, whatever its content",
      { existing: [existing("none")] },
      { kind: "edited", isDrift: true, write: undefined, differences: ["It was changed."] },
    ],
    [
      "replaces the whole tampered file with force",
      { existing: [existing("none", { ...FILE, risk: "low", timeoutMs: 1 })], force: true },
      { kind: "changed", write: { ...FILE, discoveredAt: "2026-03-01T12:00:00Z" } },
    ],
    [
      "does not overwrite a file that cannot be read",
      { existing: [{ toolId: FILE.toolId, path: "/x", trust: "none" }] },
      { kind: "edited", isDrift: true, write: undefined },
    ],
    [
      "continues from the newest version that was seen, not from that of a tampered file",
      {
        existing: [existing("none", { ...FILE, version: "9.0.0" })],
        seen: [toRecordedVersion({ toolId: FILE.toolId, version: "1.2.0", validatedAt: "2026-02-01T00:00:00Z" }, "/x")],
        listing: listingOf(OTHER),
        force: true,
      },
      { write: { version: "1.2.1" } },
    ],
    [
      "assigns a version above one that was signed with a clock in the future",
      {
        seen: [toRecordedVersion({ toolId: FILE.toolId, version: "1.0.0", validatedAt: "2026-03-01T12:04:00Z" }, "/x")],
      },
      { write: { version: "1.0.1" } },
    ],
    [
      "keeps the file of a tool that the server no longer has",
      { existing: [existing("signed")], listing: listingOf() },
      { kind: "vanished", isDrift: true, isRemoved: undefined },
    ],
    [
      "removes the file of such a tool with prune",
      { existing: [existing("signed")], listing: listingOf(), prune: true },
      { kind: "vanished", isRemoved: true },
    ],
    [
      "removes an untrusted file only with force",
      { existing: [existing("none")], listing: listingOf(), prune: true },
      { kind: "vanished", isRemoved: undefined, differences: ["It was changed."] },
    ],
    [
      "reports a tool that cannot be written as a file, but no drift",
      {
        listing: listingOf({
          name: "x",
          inputSchema: JSON.parse('{"__proto__":{}}') as ToolFile["tool"]["inputSchema"],
        }),
      },
      { kind: "refused", isDrift: false, write: undefined },
    ],
    [
      "reports a drift if a tool with a file can no longer be written as a file",
      {
        existing: [existing("signed")],
        listing: listingOf({
          ...FILE.tool,
          inputSchema: JSON.parse('{"__proto__":{}}') as ToolFile["tool"]["inputSchema"],
        }),
      },
      { kind: "refused", isDrift: true, write: undefined },
    ],
    [
      "keeps an edit that the user has signed",
      { existing: [existing("signed", { ...FILE, tool: OTHER })] },
      { kind: "edited", isDrift: false, write: undefined },
    ],
    [
      "reports a conflict if the server changed after an edit",
      {
        existing: [existing("signed", { ...FILE, tool: OTHER })],
        listing: listingOf({ ...OTHER, description: "Third." }),
      },
      { kind: "conflict", isDrift: true, write: undefined },
    ],
  ])("%s", (_case, parts, expected) => {
    const [first, ...others] = plan(parts);
    expect(others).toEqual([]);
    expect({ write: undefined, isRemoved: undefined, ...first }).toMatchObject(expected);
  });
});
