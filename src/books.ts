// What has to outlive a process, opened once per file: the store, the record of what happened, and the keys for both.
import { randomUUID } from "node:crypto";
import { type AuditLog, createAuditLog } from "./audit/create-audit-log.js";
import type { AuditAct } from "./audit/entry.js";
import { auditFiles } from "./audit/files.js";
import { type AuditOptions, auditOptions } from "./audit/options.js";
import { type Arrears, createArrears } from "./executor/arrears.js";
import { createSeals, type Seals } from "./executor/seals.js";
import type { Place } from "./place.js";
import { createStore } from "./store/create-store.js";
import { hasOwners } from "./store/has-owners.js";
import { rotateAudit } from "./store/rotate-audit.js";
import type { Store } from "./store/store.js";
import { createLocalKey } from "./util/local-key.js";
import { newRequestId } from "./util/request-id.js";

export interface Books {
  readonly file: string;
  readonly store: Store;
  /** Undefined when nothing is to be recorded. */
  readonly audit: AuditLog | undefined;
  readonly seals: () => Promise<Seals>;
  readonly arrears: Arrears;
  /** A person's word, on record before it counts. */
  readonly note: (act: AuditAct) => Promise<void>;
}

export interface OpenBooks {
  /** As a configuration wants them kept. */
  with(options: AuditOptions): Books;
  /** Closes what processes that are gone have left open, if there can be any. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** Touches no file until something is written or read. */
export function openBooks(file: string, place: Place): OpenBooks {
  const { now, log, warn, secrets } = place;
  const files = auditFiles(place.stateFolder, file);
  const key = createLocalKey(files.keyFile, warn);
  const store = createStore({ file, inline: place.isBrief });
  const options = { inForce: auditOptions.parse({}) };
  const audit = createAuditLog({
    chain: store.audit,
    prepareStore: () => store.prepare(),
    rotate: (wish) => rotateAudit(store.audit, { ...wish, folder: files.archiveFolder, id: randomUUID() }),
    checkpointFile: files.checkpointFile,
    key,
    signingKey: createLocalKey(files.signingKeyFile, warn),
    options: () => options.inForce,
    redact: secrets.redactValue,
    now,
    newId: newRequestId,
    schedule,
    log,
    warn,
  });
  const arrears = createArrears();
  let seals: Promise<Seals> | undefined;
  const openSeals = (): Promise<Seals> => {
    seals ??= key().then(createSeals);
    // What was in the way may be gone by the next time.
    seals.catch(() => (seals = undefined));
    return seals;
  };

  return {
    with(wanted) {
      options.inForce = wanted;
      return {
        file,
        store,
        audit: wanted.enabled ? audit : undefined,
        seals: openSeals,
        arrears,
        note: async (act) => await (wanted.enabled ? audit.note(act) : undefined),
      };
    },
    async recover() {
      if (!(await hasOwners(file))) return;
      await store.keys.recover(now());
      if (options.inForce.enabled) await audit.recover();
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
