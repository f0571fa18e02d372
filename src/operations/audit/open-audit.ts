import { type AuditFiles, auditFiles } from "../../audit/files.js";
import { loadConfig, type LoadParts } from "../../config/load.js";
import type { OpenOptions } from "../../gateway/engine-options.js";
import { toDiscoveryError } from "../../errors.js";
import { environmentFor } from "../../gateway/find-configuration.js";
import type { AuditMark, AuditRecords } from "../../store/audit-records.js";
import { createStore, storeFile } from "../../store/create-store.js";
import { type ExportedAudit, exportAudit } from "./export-audit.js";
import { type AuditSelection, toAuditFilter } from "./filter.js";
import { readNewest, type ShownRecord } from "./records.js";
import { type FollowAuditOptions, followAudit } from "./follow-audit.js";
import { toReadableStore } from "./readable-store.js";
import { type AuditReport, verifyAudit } from "./verify-audit.js";

/** The newest record, the open calls and the archived part of the audit log. */
export interface AuditState {
  /** The number and hash of the newest record. */
  readonly head: AuditMark;
  /** Calls that were sent and have no outcome yet. */
  readonly openIntents: number;
  /** The number of the last archived record. Later records are in the store. */
  readonly archivedThrough: number;
}

/** Which records `read` returns. */
export interface ReadAuditOptions {
  /** The maximum number of records. Default: 50. */
  readonly limit?: number;
  /** The number of the last record to include. Default: the newest. */
  readonly through?: number;
}

/** Which records `export` writes, and whether it may replace a file. */
export interface ExportAuditOptions {
  readonly selection?: AuditSelection;
  readonly isForced?: boolean;
}

/** Reads the audit log of a store. Nothing is written, and no server is started. */
export interface AuditReader {
  /** @internal */
  readonly records: AuditRecords;
  /** The current time in Unix milliseconds. @internal */
  readonly now: number;
  /** The user's home folder. @internal */
  readonly home: string;
  state(): Promise<AuditState>;
  /**
   * The newest records that match, oldest first. Without `kind` and `requestId`, intents (records of calls before they
   * are sent) are not included.
   */
  read(selection?: AuditSelection, options?: ReadAuditOptions): Promise<ShownRecord[]>;
  /** Yields records that match as they are added, until the signal aborts or `isOver` returns true. */
  follow(selection: AuditSelection, options: FollowAuditOptions): AsyncGenerator<readonly ShownRecord[]>;
  /** Writes all matching records, archives included, as one JSON object per line. */
  export(file: string, options?: ExportAuditOptions): Promise<ExportedAudit>;
  /** Checks every record, archive and checkpoint. */
  verify(): Promise<AuditReport>;
  close(): Promise<void>;
}

const DEFAULT_LIMIT = 50;

/** Opens the audit log of the store that the configuration names. */
export async function openAudit(options: OpenOptions = {}): Promise<AuditReader> {
  const { stateFolder, home, now, loadParts, warn } = environmentFor(options);
  const file = (await configuredStore(loadParts, options, warn)) ?? storeFile(stateFolder);
  const readable = await toReadableStore(file);
  const store = createStore({ file: readable.file, inline: true, canReadAlone: true });
  const close = async (): Promise<void> => {
    await store.close();
    await readable.remove();
  };
  return createReader(store.audit, auditFiles(stateFolder, file), { now: now(), home, close });
}

function createReader(
  audit: AuditRecords,
  files: AuditFiles,
  rest: Pick<AuditReader, "now" | "home" | "close">,
): AuditReader {
  return {
    ...rest,
    records: audit,
    async state() {
      const [head, open, start] = [await audit.head(), await audit.openIntents(), await audit.start()];
      return { head, openIntents: open.length, archivedThrough: start.seq };
    },
    async read(selection = {}, { limit = DEFAULT_LIMIT, through } = {}) {
      const { query, accepts } = toAuditFilter(selection);
      const upTo = through === undefined ? query : { ...query, before: through + 1 };
      return await readNewest(audit, { query: upTo, accepts }, limit);
    },
    follow: (selection, range) => followAudit(audit, toAuditFilter(selection), range),
    export: (file, { selection = {}, isForced = false } = {}) =>
      exportAudit({
        audit,
        archiveFolder: files.archiveFolder,
        filter: toAuditFilter(selection, true),
        file,
        isForced,
      }),
    verify: () => verifyAudit(audit, files),
  };
}

/**
 * The store that the configuration names. Undefined if the configuration is invalid and `configPath` does not name it:
 * the default store is then read.
 */
async function configuredStore(
  parts: LoadParts,
  { configPath }: OpenOptions,
  warn: (message: string) => void,
): Promise<string | undefined> {
  try {
    return (await loadConfig(parts)).config.store;
  } catch (error) {
    // If the user named a configuration file that is missing or invalid, do not read the log of the default store
    // instead.
    if (configPath !== undefined) throw error;
    warn(`${toDiscoveryError(error).message} This is the audit log of the default store.`);
    return undefined;
  }
}
