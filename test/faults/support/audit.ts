import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createStore, storeFile } from "../../../src/store/create-store.js";
import { verifyStored } from "../../support/stored-chain.js";
import { waitFor } from "./deadline.js";
import type { FaultHome } from "./home.js";

const LAUNCH = fileURLToPath(new URL("./launch.mjs", import.meta.url));
const SETTLE_LIMIT_MS = 120_000;
const VERIFY_LIMIT_MS = 120_000;

export type AuditEntry = Readonly<Record<string, unknown>> & { readonly kind: string; readonly request_id: string };

export interface AuditFindings {
  readonly records: readonly AuditEntry[];
  readonly violations: readonly string[];
}

/** All audit records of a home folder, and the violations in them once all gateways are idle. */
export async function readAudit(home: FaultHome, dist: string): Promise<AuditFindings> {
  const store = createStore({ file: storeFile(home.state), inline: true });
  const violations = await verifyByCommand(home, dist);
  try {
    const verdict = await verifyStored(store.audit);
    if (verdict.kind === "broken") violations.push(`audit: record ${verdict.seq} is broken: ${verdict.reason}`);
    const records: AuditEntry[] = [];
    let after = 0;
    for (let page = await store.audit.read({}); page.length > 0; page = await store.audit.read({ after })) {
      records.push(...page.map(({ body }) => JSON.parse(body) as AuditEntry));
      after = page.at(-1)?.seq ?? after;
    }
    violations.push(...findLooseEnds(records));
    return { records, violations };
  } finally {
    await store.close();
  }
}

/** Waits until every intent has its outcome: the next gateway closes the open intents of a killed one. */
export async function settleAudit(home: FaultHome): Promise<void> {
  const store = createStore({ file: storeFile(home.state), inline: true });
  try {
    const isSettled = async (): Promise<boolean> => (await store.audit.openIntents()).length === 0;
    // Intents that stay open are reported by the checks of the records.
    await waitFor(isSettled, "end of open intents", SETTLE_LIMIT_MS).catch(() => undefined);
  } finally {
    await store.close();
  }
}

/** The output of `anygpt mcp audit --verify`, including signatures. */
function verifyByCommand(home: FaultHome, dist: string): Promise<string[]> {
  const words = [LAUNCH, dist, "anygpt", "mcp", "audit", "--verify", "--json", "--config", home.config];
  const options = { env: home.env, cwd: home.folder, timeout: VERIFY_LIMIT_MS };
  return new Promise((resolve) => {
    execFile(process.execPath, words, options, (error, stdout, stderr) => {
      const isWhole = error === null && (JSON.parse(stdout) as { whole?: boolean }).whole === true;
      resolve(isWhole ? [] : [`audit --verify: ${stdout}${stderr}`]);
    });
  });
}

/** Every intent has one outcome, and no execution has two. */
function findLooseEnds(records: readonly AuditEntry[]): string[] {
  const count = (kind: string): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const record of records) {
      if (record.kind === kind) counts.set(record.request_id, (counts.get(record.request_id) ?? 0) + 1);
    }
    return counts;
  };
  const outcomes = count("outcome");
  const intents = count("intent");
  return [
    ...[...intents.keys()].filter((id) => !outcomes.has(id)).map((id) => `audit: the intent ${id} has no outcome`),
    ...[...outcomes].filter(([, times]) => times > 1).map(([id, times]) => `audit: ${id} has ${times} outcomes`),
    ...[...intents].filter(([, times]) => times > 1).map(([id, times]) => `audit: ${id} has ${times} intents`),
  ];
}
