import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isGroup, type CommandGroup, type CommandSpec } from "../src/surfaces/cli/command.js";
import { ANYGPT } from "../src/surfaces/cli/table.js";
import { toolFileJsonSchema } from "../src/toolfiles/format/json-schema.js";
import { keyIdOf, parseKeyBytes } from "../src/toolfiles/keys/ed25519.js";
import { parseKeyLine } from "../src/toolfiles/keys/key-line.js";
import { parseVerified } from "../src/toolfiles/parse-verified.js";
import { createSigningKeyring } from "../src/toolfiles/signing/keyring.js";
import { verifyToolFile } from "../src/toolfiles/signing/verify.js";
import { ROOT } from "./support/gateway.js";

const guide = readFileSync(join(ROOT, "docs/how-to/tool-files.md"), "utf8");
const page = readFileSync(join(ROOT, "docs/reference/tool-file-format.md"), "utf8");
const NOW = Date.parse("2026-02-01T00:00:00Z");

describe("the pages on tool files", () => {
  it("shows a valid file that verifies with the key below it", () => {
    const [, body = ""] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    const line = parseKeyLine(/^anygpt-ed25519 .*$/m.exec(page)?.[0] ?? "");
    const keyId = keyIdOf(parseKeyBytes(line?.publicKey ?? "") ?? Buffer.alloc(0));
    const key = { keyId, publicKey: "", name: "", ...line, trustedAt: "", isOwn: false, canSign: false };
    const name = "context7_resolve_library_id.yaml";
    const verdict = verifyToolFile(Buffer.from(body), {
      file: name,
      keys: createSigningKeyring({ keys: [key], problems: [] }),
      signatures: "required",
      now: NOW,
    });
    expect(verdict).toMatchObject({ kind: "intact", trust: { keyName: "ann@example" } });
    const parsed = verdict.kind === "intact" ? parseVerified(name, verdict) : undefined;
    expect(parsed).toMatchObject({ kind: "ok", file: { server: "context7", version: "1.0.0" } });
  });

  it("names every key of the schema", () => {
    const { anyOf } = toolFileJsonSchema() as { anyOf: { properties: Record<string, { properties?: object }> }[] };
    const keys = anyOf.flatMap(({ properties }) => [
      ...Object.keys(properties),
      ...Object.keys(properties["metadata"]?.properties ?? {}),
      ...Object.keys(properties["config"]?.properties ?? {}),
    ]);
    const table = page.split("\n").filter((row) => row.startsWith("| `"));
    const missing = [...new Set(keys)].filter(
      (key) => !["metadata", "config"].includes(key) && !table.some((row) => new RegExp(`[\`.]${key}\``).test(row)),
    );
    expect(missing).toEqual([]);
  });

  it("names commands and options that exist", () => {
    const lines = [...guide.matchAll(/anygpt (?!mcp )([^\n`]+)/g)].map(([, words = ""]) => words.split(/\s+/));
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.flatMap((words) => unknownIn(words)).filter(Boolean)).toEqual([]);
  });
});

/** The unknown commands and options of a command line. */
function unknownIn(words: readonly string[]): string[] {
  let entry: CommandSpec | CommandGroup | undefined = ANYGPT.commands[0];
  let rest = [...words];
  for (let next = find(entry, rest[0]); next !== undefined; next = find(entry, rest[0])) {
    entry = next;
    rest = rest.slice(1);
  }
  if (entry === undefined || entry === ANYGPT.commands[0] || isGroup(entry)) return [words.join(" ")];
  const known = new Set([...(entry.options ?? []).map(({ flags }) => flags.split(" ")[0]), "--json", "--"]);
  const own = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  return own.filter((word) => /^--\w/.test(word) && !known.has(word));
}

function find(entry: CommandSpec | CommandGroup | undefined, word: string | undefined) {
  return (entry?.commands ?? []).find(({ name }: { name: string }) => name === word);
}
