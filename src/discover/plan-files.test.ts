import { describe, expect, it } from "vitest";
import { NOW, sampleFile } from "../../test/support/signed-files.js";
import { DiscoveryError } from "../errors.js";
import type { ServerListing } from "../model/server.js";
import type { ToolFile } from "../toolfiles/format/tool-file.js";
import { toSeen } from "../toolfiles/version-book.js";
import { type PlanParts, planFiles } from "./plan-files.js";
import type { StandingFile } from "./standing-files.js";

const FILE = sampleFile();
const listingOf = (...tools: ServerListing["tools"]): ServerListing => ({
  tools,
  dropped: [],
  truncated: false,
  era: "modern",
});
const standing = (trust: StandingFile["trust"], file: ToolFile = FILE): StandingFile => ({
  toolId: file.toolId,
  path: `/x/${file.toolId}.yaml`,
  bytes: Buffer.from("x"),
  file,
  trust,
  ...(trust === "none" ? { refusal: new DiscoveryError("SIGNATURE_INVALID", "It was changed.") } : {}),
});
const plan = (parts: Partial<PlanParts> = {}) =>
  planFiles({
    target: { name: FILE.server, connection: FILE.connection, needs: [] },
    listing: listingOf(FILE.tool),
    standing: [],
    seen: [],
    now: NOW,
    force: false,
    prune: false,
    ...parts,
  });
const OTHER = { ...FILE.tool, description: "Other." };

describe("planFiles", () => {
  it.each<[string, Partial<PlanParts>, object]>([
    ["writes what is new", {}, { kind: "new", isDrift: true, write: { version: "1.0.0" } }],
    [
      "leaves a signed file that is right",
      { standing: [standing("signed")] },
      { kind: "unchanged", isDrift: false, write: undefined },
    ],
    [
      "leaves a file with a hash that is right",
      { standing: [standing("hash")] },
      { kind: "unchanged", isDrift: false, write: undefined },
    ],
    [
      "signs no content of a file that only has a hash",
      { standing: [standing("hash")], listing: listingOf(OTHER) },
      { kind: "edited", isDrift: true, write: undefined, differences: ["Nobody has signed it.", expect.any(String)] },
    ],
    [
      "takes a file that was tampered with for one that is not right, whatever it says",
      { standing: [standing("none")] },
      { kind: "edited", isDrift: true, write: undefined, differences: ["It was changed."] },
    ],
    [
      "keeps nothing of it with force",
      { standing: [standing("none", { ...FILE, risk: "low", timeoutMs: 1 })], force: true },
      { kind: "changed", write: { ...FILE, discoveredAt: "2026-03-01T12:00:00Z" } },
    ],
    [
      "does not write over a file that cannot be read",
      { standing: [{ toolId: FILE.toolId, path: "/x", trust: "none" }] },
      { kind: "edited", isDrift: true, write: undefined },
    ],
    [
      "goes on from the newest version that was seen, not from what a tampered file says",
      {
        standing: [standing("none", { ...FILE, version: "9.0.0" })],
        seen: [toSeen({ toolId: FILE.toolId, version: "1.2.0", validatedAt: "2026-02-01T00:00:00Z" }, "/x")],
        listing: listingOf(OTHER),
        force: true,
      },
      { write: { version: "1.2.1" } },
    ],
    [
      "gives a version above one that was signed by a clock ahead of ours",
      { seen: [toSeen({ toolId: FILE.toolId, version: "1.0.0", validatedAt: "2026-03-01T12:04:00Z" }, "/x")] },
      { write: { version: "1.0.1" } },
    ],
    [
      "keeps the file of a tool that is gone",
      { standing: [standing("signed")], listing: listingOf() },
      { kind: "vanished", isDrift: true, isRemoved: undefined },
    ],
    [
      "takes it away when told to",
      { standing: [standing("signed")], listing: listingOf(), prune: true },
      { kind: "vanished", isRemoved: true },
    ],
    [
      "takes one away that nobody vouches for only with force",
      { standing: [standing("none")], listing: listingOf(), prune: true },
      { kind: "vanished", isRemoved: undefined, differences: ["It was changed."] },
    ],
    [
      "tells of what no file can say, which makes no file wrong",
      {
        listing: listingOf({
          name: "x",
          inputSchema: JSON.parse('{"__proto__":{}}') as ToolFile["tool"]["inputSchema"],
        }),
      },
      { kind: "refused", isDrift: false, write: undefined },
    ],
    [
      "takes a file for wrong whose tool has become one that no file can say",
      {
        standing: [standing("signed")],
        listing: listingOf({
          ...FILE.tool,
          inputSchema: JSON.parse('{"__proto__":{}}') as ToolFile["tool"]["inputSchema"],
        }),
      },
      { kind: "refused", isDrift: true, write: undefined },
    ],
    [
      "leaves an edit that a person has signed",
      { standing: [standing("signed", { ...FILE, tool: OTHER })] },
      { kind: "edited", isDrift: false, write: undefined },
    ],
    [
      "shows an edit that the server has overtaken",
      {
        standing: [standing("signed", { ...FILE, tool: OTHER })],
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
