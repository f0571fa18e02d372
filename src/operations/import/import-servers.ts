import { join } from "node:path";
import type { OpenOptions } from "../../gateway/engine-options.js";
import { environmentFor } from "../../gateway/find-configuration.js";
import { type Keychain, openKeychain } from "../../secrets/keychain.js";
import type { ClientId } from "../../sources/options.js";
import { createBackups } from "../files/backups.js";
import { findTarget } from "../files/target.js";
import { selectImport, type Undone, undoBackups } from "../files/undo.js";
import { type FileWrite, writeAll } from "../files/write.js";
import { writeKeychain } from "./keychain-secrets.js";
import { copyProgram } from "./program-copy.js";
import { type ImportPlan, planImport, type SecretsPlace } from "./plan.js";
import { type ImportPage, toImportPage } from "./report.js";

/** A planned import that has written nothing yet, so that a caller can show the plan and ask the user. */
export interface PreparedImport {
  readonly home: string;
  readonly plan: (secrets: SecretsPlace) => Promise<ImportPlan>;
  /**
   * Writes the keychain before the files, so that no file refers to a missing keychain entry. Writes no file if the
   * signal aborts before.
   */
  readonly write: (plan: ImportPlan, signal?: AbortSignal) => Promise<FileWrite[]>;
  readonly keychain: () => Keychain;
}

export async function prepareImport(options: OpenOptions, clients: readonly ClientId[]): Promise<PreparedImport> {
  const { loadParts, ...runtime } = environmentFor(options);
  const { home, cwd, stateFolder, now } = runtime;
  const target = await findTarget(loadParts, { newName: "mcp-discovery.config.json" });
  const system = { platform: process.platform, home, cwd, env: loadParts.env };
  const keychain = (): Keychain => openKeychain({ ...system, cwd: home });
  return {
    home,
    keychain,
    plan: (secrets) => planImport({ runtime, system, target, clients, secrets, keychain }),
    async write({ keychainEntries, writes, copy }, signal) {
      if (copy !== undefined) await copyProgram(copy);
      if (keychainEntries.size > 0) await writeKeychain(keychainEntries, keychain());
      signal?.throwIfAborted();
      return await writeAll(writes, createBackups(join(stateFolder, "backups"), now));
    },
  };
}

/** Options of `importServers`. */
export interface ImportOptions {
  /**
   * MCP clients whose files are rewritten: their servers move to the configuration, and the gateway is added instead.
   * Default: none, all clients keep their files.
   */
  readonly clients?: readonly ClientId[];
  /**
   * Where secrets that a client stores in clear text are written. Default: `keep`, in clear text in the configuration.
   */
  readonly secrets?: SecretsPlace;
  /** Only return the plan, write nothing. */
  readonly dryRun?: boolean;
}

/** Copies the servers of the MCP clients on this machine into the user's configuration. `undoImport` reverts it. */
export async function importServers(
  options: OpenOptions = {},
  { clients = [], secrets = "keep", dryRun = false }: ImportOptions = {},
): Promise<ImportPage> {
  const { plan: toPlan, write } = await prepareImport(options, clients);
  const plan = await toPlan(secrets);
  return toImportPage(plan, dryRun || plan.writes.length === 0 ? undefined : await write(plan));
}

/** Options of `undoImport`. */
export interface UndoImportOptions {
  /** Restore only the files of these clients, each to its content before the last import that rewrote it. */
  readonly clients?: readonly ClientId[];
  /** Also restore files that were changed after the import. Their current content is saved next to the backups. */
  readonly force?: boolean;
  /** Only return the plan, write nothing. */
  readonly dryRun?: boolean;
}

/** The result of `undoImport`. */
export interface UndoneImport {
  /** Empty if there is no import to undo. */
  readonly undone: readonly Undone[];
  /** The number of imports that can still be undone. */
  readonly left: number;
}

/**
 * Restores every file of the last import, or only the files of `clients`. A file that was changed after the import is
 * restored only with `force`.
 */
export async function undoImport(
  options: OpenOptions = {},
  { clients = [], force = false, dryRun = false }: UndoImportOptions = {},
): Promise<UndoneImport> {
  const { stateFolder, now } = environmentFor(options);
  const backups = createBackups(join(stateFolder, "backups"), now);
  const selected = selectImport(await backups.list(), clients);
  const undone = await undoBackups(selected, backups, { isForced: force, isDryRun: dryRun });
  const imports = (await backups.list()).filter(({ action }) => action === undefined);
  return { undone, left: new Set(imports.map(({ run }) => run)).size };
}
