import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { ChainBody } from "../../src/audit/chain.js";
import { type AuditLog, type AuditParts, createAuditLog } from "../../src/audit/create-audit-log.js";
import type { AuditIntent, AuditOutcome } from "../../src/audit/entry.js";
import { type AuditFiles, auditFiles } from "../../src/audit/files.js";
import { auditOptions } from "../../src/audit/options.js";
import { createStore, storeFile } from "../../src/store/create-store.js";
import { rotateAudit } from "../../src/store/rotate-audit.js";
import { driver } from "../../src/store/sqlite/driver.js";
import type { Store } from "../../src/store/store.js";
import { createLocalKey } from "../../src/util/local-key.js";

export const NOW = Date.parse("2026-01-02T00:00:00.000Z");
const CALL = {
  request_id: "r1",
  timestamp: "2026-01-01T00:00:00.000Z",
  actor_id: "local",
  surface: "mcp",
  tool_id: "a:b",
  params_hash: null,
  risk: "medium",
} as const;

export const intent = (request_id: string): AuditIntent => ({ ...CALL, kind: "intent", request_id });
export const outcome = (rest: Partial<AuditOutcome> = {}): AuditOutcome => ({
  ...CALL,
  kind: "outcome",
  decision: "allowed",
  outcome: "ok",
  duration_ms: 1,
  ...rest,
});

/** One process with its own store and timers. */
export interface Opened {
  readonly log: AuditLog;
  readonly store: Store;
  readonly files: AuditFiles;
  readonly timers: readonly { readonly delayMs: number; run(): void }[];
  readonly logged: readonly string[];
}

type LogSetup = Partial<AuditParts> & { readonly config?: object };

function openLog(folder: string, file: string, rest: LogSetup): Opened {
  const store = createStore({ file, inline: true });
  const files = auditFiles(folder, file);
  const timers: { delayMs: number; run: () => void }[] = [];
  const logged: string[] = [];
  let ids = 0;
  const log = createAuditLog({
    chain: store.audit,
    prepareStore: () => store.prepare(),
    rotate: (limits) => rotateAudit(store.audit, { ...limits, folder: files.archiveFolder, id: "test" }),
    checkpointFile: files.checkpointFile,
    key: createLocalKey(files.keyFile),
    signingKey: createLocalKey(files.signingKeyFile),
    options: () => auditOptions.parse(rest.config ?? {}),
    redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("s3cret", "[hidden]")) as unknown,
    now: () => NOW,
    newId: () => `id-${(ids += 1)}`,
    schedule(delayMs, run) {
      const timer = { delayMs, run };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    log: (message) => logged.push(message),
    warn: (message) => logged.push(message),
    ...rest,
  });
  return { log, store, files, timers, logged };
}

/** A new folder before each test of the calling file, and logs in it that are closed after the test. */
export function setUpAuditLogs() {
  let folder: string;
  let file: string;
  const all: Opened[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "audit-log-"));
    file = storeFile(folder);
  });
  afterEach(async () => {
    for (const { store, log } of all.splice(0)) {
      await log.close();
      await store.close();
    }
    await rm(folder, { recursive: true, force: true });
  });

  return {
    folder: () => folder,
    file: () => file,
    open(rest: LogSetup = {}): Opened {
      const opened = openLog(folder, file, rest);
      all.push(opened);
      return opened;
    },
    /** Changes the stored records directly in the database. */
    tamper(sql: string): void {
      const database = new (driver().DatabaseSync)(file);
      database.exec(`PRAGMA busy_timeout = 5000; ${sql}`);
      database.close();
    },
  };
}

export const bodies = async ({ store }: Opened): Promise<ChainBody[]> =>
  (await store.audit.read({})).map(({ body }) => JSON.parse(body) as ChainBody);
export const checkpointOf = async ({ files }: Opened): Promise<{ seq: number }> =>
  JSON.parse(await readFile(files.checkpointFile, "utf8")) as { seq: number };
export const signed = async ({ store }: Opened): Promise<number[]> =>
  (await store.audit.checkpoints()).map(({ seq }) => seq);
