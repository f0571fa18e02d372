import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { AuditEntry } from "../audit.js";
import type { FaultHome } from "../home.js";

const LAUNCH = fileURLToPath(new URL("../launch.mjs", import.meta.url));
const LIMIT_MS = 600_000;
const MAX_SAID = 16 * 1024 * 1024;

export interface WholeRecord {
  readonly records: readonly AuditEntry[];
  readonly violations: readonly string[];
}

/** All audit records including archives, reduced to the checked fields because there are many. */
export async function readWholeRecord(home: FaultHome, dist: string): Promise<WholeRecord> {
  const verified = await runAudit(home, dist, ["--verify", "--json"]);
  const isWhole = verified.includes('"whole":true') || verified.includes('"whole": true');
  const file = home.path("record.jsonl");
  await runAudit(home, dist, ["--export", file]);
  const records: AuditEntry[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { kind, request_id, outcome, replayed_from } = JSON.parse(line) as AuditEntry;
    records.push({
      kind,
      request_id,
      ...(outcome === undefined ? {} : { outcome }),
      ...(replayed_from === undefined ? {} : { replayed_from }),
    });
  }
  return { records, violations: [...(isWhole ? [] : [`audit --verify: ${verified}`]), ...findLooseEnds(records)] };
}

function runAudit(home: FaultHome, dist: string, words: readonly string[]): Promise<string> {
  const command = [LAUNCH, dist, "anygpt", "mcp", "audit", ...words, "--config", home.config];
  const options = { env: home.env, cwd: home.folder, timeout: LIMIT_MS, maxBuffer: MAX_SAID };
  return new Promise((resolve) => {
    execFile(process.execPath, command, options, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}

/** Every intent has one outcome, and no execution has two. */
function findLooseEnds(records: readonly AuditEntry[]): string[] {
  const intents = new Set<string>();
  const outcomes = new Set<string>();
  const found: string[] = [];
  for (const { kind, request_id: id } of records) {
    const known = kind === "intent" ? intents : kind === "outcome" ? outcomes : undefined;
    if (known?.has(id) === true) found.push(`audit: ${id} has two records of the kind ${kind}`);
    known?.add(id);
  }
  for (const id of intents) if (!outcomes.has(id)) found.push(`audit: the intent ${id} has no outcome`);
  return found;
}
