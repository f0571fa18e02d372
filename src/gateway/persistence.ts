// Data that outlives the process: the store, the audit log and their local keys. Opened once per store file.
import { randomUUID } from "node:crypto";
import { type AuditLog, createAuditLog } from "../audit/create-audit-log.js";
import type { AuditAct } from "../audit/entry.js";
import { auditFiles } from "../audit/files.js";
import { type AuditOptions, auditOptions } from "../audit/options.js";
import { type PendingWrites, createPendingWrites } from "../executor/pending-writes.js";
import { createEncryption, type Encryption } from "../executor/encryption.js";
import type { RuntimeEnvironment } from "./runtime-environment.js";
import { createStore } from "../store/create-store.js";
import { hasOwners } from "../store/has-owners.js";
import { rotateAudit } from "../store/rotate-audit.js";
import type { Store } from "../store/store.js";
import { createLocalKey } from "../util/local-key.js";
import { newRequestId } from "../util/request-id.js";

export interface Persistence {
  readonly file: string;
  readonly store: Store;
  /** The audit log; undefined if it is disabled. */
  readonly audit: AuditLog | undefined;
  readonly encryption: () => Promise<Encryption>;
  readonly pendingWrites: PendingWrites;
  /** Writes a decision of the user to the audit log. Must complete before the decision takes effect. */
  readonly note: (act: AuditAct) => Promise<void>;
}

export interface OpenPersistence {
  /** Returns access to the data, with the audit options of a configuration. */
  with(options: AuditOptions): Persistence;
  /**
   * Settles the unfinished calls of crashed processes: frees the idempotency keys of calls that were not sent, and
   * records an unknown outcome for the others. Does nothing if no process has a lock file for the store.
   */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the data of one store file. Touches no file until something is written or read. */
export function openPersistence(file: string, runtime: RuntimeEnvironment): OpenPersistence {
  const { now, log, warn, secrets } = runtime;
  const files = auditFiles(runtime.stateFolder, file);
  const key = createLocalKey(files.keyFile, warn);
  const store = createStore({ file, inline: runtime.isBrief });
  const options = { current: auditOptions.parse({}) };
  const audit = createAuditLog({
    chain: store.audit,
    prepareStore: () => store.prepare(),
    rotate: (options) => rotateAudit(store.audit, { ...options, folder: files.archiveFolder, id: randomUUID() }),
    checkpointFile: files.checkpointFile,
    key,
    signingKey: createLocalKey(files.signingKeyFile, warn),
    options: () => options.current,
    redact: secrets.redactValue,
    now,
    newId: newRequestId,
    schedule,
    log,
    warn,
  });
  const pendingWrites = createPendingWrites();
  let encryption: Promise<Encryption> | undefined;
  const openEncryption = (): Promise<Encryption> => {
    encryption ??= key().then(createEncryption);
    // Do not cache the error: the key file may be readable at the next attempt.
    encryption.catch(() => (encryption = undefined));
    return encryption;
  };

  return {
    with(auditConfig) {
      options.current = auditConfig;
      return {
        file,
        store,
        audit: auditConfig.enabled ? audit : undefined,
        encryption: openEncryption,
        pendingWrites,
        note: async (act) => await (auditConfig.enabled ? audit.note(act) : undefined),
      };
    },
    async recover() {
      if (!(await hasOwners(file))) return;
      await store.keys.recover(now());
      if (options.current.enabled) await audit.recover();
    },
    async close() {
      await audit.close();
      await store.close();
    },
  };
}

function schedule(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
}
