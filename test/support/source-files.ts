import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { collectServers, type CollectParts } from "../../src/sources/collect.js";
import type { ServerEntry, SourceEntry } from "../../src/sources/options.js";

export const server = (name: string, command: string, more: Partial<ServerEntry> = {}): ServerEntry => ({
  name,
  command,
  enabled: true,
  ...more,
});

/** A new folder of files before each test of the calling file, with `home` and the configuration's `base` in it. */
export function setUpSources() {
  let root: string;
  beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "collect-"))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const at = (path: string): string => join(root, path);
  const write = (path: string, content: string): string => {
    const file = at(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  return {
    at,
    write,
    collect: (parts: Partial<CollectParts>) =>
      collectServers({ servers: [], sources: [], baseDir: at("base"), home: at("home"), ...parts }),
    client: (path: string, mcpServers: object): SourceEntry => ({
      type: "claude-desktop",
      path: write(path, JSON.stringify({ mcpServers })),
    }),
  };
}
