import { readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { ImportPage } from "../../src/operations/import/report.js";
import { type CliPlace, createCliPlace, type Ran, type RunOptions } from "./cli.js";
import { ROOT } from "./gateway.js";

export const CURSOR = ".cursor/mcp.json";
export const CODEX = ".codex/config.toml";
export const CONFIG = ".anygpt/mcp-discovery.config.json";
/** The running program is a clone of the repository, so clients get its path. */
export const GATEWAY = { command: process.execPath, args: [realpathSync(join(ROOT, "bin/discovery.js"))] };

/** A new home folder before each test of the calling file, and `import` running in it. */
export function setUpImports() {
  let place: CliPlace;
  beforeEach(() => void (place = createCliPlace()));
  afterEach(() => place.remove());

  const at = (file: string): string => join(place.folder, file);
  const runWith = (options: RunOptions, ...argv: string[]): Promise<Ran> =>
    place.runWith({ ...options, env: { ANYGPT_HOME: at(".anygpt"), ...options.env } }, "mcp", "import", ...argv);
  const run = (...argv: string[]): Promise<Ran> => runWith({}, ...argv);
  return {
    place: () => place,
    at,
    read: (file: string): string => readFileSync(at(file), "utf8"),
    modeOf: (file: string): number => statSync(at(file)).mode & 0o777,
    runWith,
    run,
    page: async (...argv: string[]): Promise<ImportPage> => (await run(...argv, "--json")).json() as ImportPage,
    cursor: (servers: object): string => place.write(CURSOR, `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`),
  };
}
