// Callers put line breaks, escape sequences and long texts into every recorded field. One record stays one line for
// every reader, and a terminal shows only text.
import { readFileSync } from "node:fs";
import { askModern } from "../../../support/mcp-http.js";
import { openIssuer } from "../../../support/issuer.js";
import { readAudit } from "../../support/audit.js";
import { openServedGateway } from "../../support/served-gateway.js";
import { runCommand } from "../../support/command.js";
import { openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const AUDIENCE = "https://gateway.example/mcp";
const FORGED = '{"kind":"outcome","request_id":"forged","tool_id":"forged:tool","outcome":"ok"}';
const BREAKS = [
  "\n",
  "\r",
  "\r\n",
  "\u2028",
  "\u2029",
  "\u0085",
  "\u001b[2J",
  "\u001b]8;;http://x\u0007",
  "\0",
  "\u0000\n",
  "\u202e",
  "\v",
  "\f",
  "\u009b31m",
] as const;
const LONG = 65_536;

/** `count`: the number of calls. */
export async function hostileRecords({ count, seed, dist }: RowOptions): Promise<RowResult> {
  const issuer = await openIssuer();
  try {
    return await inHome(async (home) => {
      const http = { port: 0, oauth: { issuer: issuer.url, audience: AUDIENCE } };
      home.configure({ one: home.stdio("one") }, { http });
      const random = createRandom(seed);
      const gateway = await openGateway(home, { dist });
      const served = await openServedGateway(home, { dist });
      let accepted = 0;
      for (let number = 0; number < count; number += 1) {
        const [server, tool] = random.pick([
          ["one", toText(random)],
          [toText(random), "read"],
          ["one", "read"],
        ] as const);
        const options = random.chance(0.3) ? { idempotency_key: `k${"~".repeat(random.pick([1, 254]))}` } : {};
        const execution = { server, tool, arguments: { id: `hostile-${number}`, to: toText(random) }, options };
        if (random.chance(0.7)) await gateway.execute(execution);
        else {
          const now = Math.floor(Date.now() / 1000);
          const claims = { iss: issuer.url, aud: AUDIENCE, sub: toText(random), iat: now, exp: now + 300, scope: "*" };
          const caller = { url: served.url, token: await issuer.sign(claims) };
          const { status } = await askModern(caller, "tools/call", { name: "execute_tool", arguments: execution });
          accepted += status === 200 ? 1 : 0;
        }
      }
      await gateway.close();
      await served.stop();
      const audit = await readAudit(home, dist);
      const records = audit.records.length;
      const file = home.path("export.jsonl");
      await runCommand(home, { dist }, ["audit", "--export", file]);
      const shown = await runCommand(home, { dist }, ["audit", "--limit", "1000"]);
      const asJson = await runCommand(home, { dist }, ["audit", "--limit", "1000", "--json"]);
      const exported = readFileSync(file, "utf8");
      const violations = [
        ...audit.violations,
        ...judgeExport(exported, records),
        ...judgeShown(shown.stdout, Math.min(records, 1000)),
        ...(isRaw(asJson.stdout) ? ["--json prints raw control characters"] : []),
        ...(audit.records.some(({ request_id }) => request_id === "forged")
          ? ["a forged record is in the hash chain"]
          : []),
        ...(records === 0 ? ["nothing was recorded"] : []),
      ];
      const figures = { records, "callers with unusual names": accepted, "forged lines": violations.length };
      return {
        title: "texts that try to forge additional audit records",
        n: count,
        injected: count,
        violations,
        figures,
      };
    });
  } finally {
    await issuer.close();
  }
}

function toText(random: Random): string {
  if (random.chance(0.1)) return "x".repeat(LONG);
  const [one, two] = [random.pick(BREAKS), random.pick(BREAKS)];
  return `tool${one}${FORGED}${two}rest${random.chance(0.2) ? "y".repeat(LONG) : ""}`;
}

/** Whether the line is a record forged by a caller, or not a record at all. */
function isForged(line: string): boolean {
  try {
    return (JSON.parse(line) as { request_id?: string }).request_id === "forged";
  } catch {
    return true;
  }
}

/** Every reader counts the same lines, whatever it accepts as a line break. */
function judgeExport(text: string, records: number): string[] {
  const found: string[] = [];
  const ways: readonly (readonly [string, RegExp])[] = [
    ["lines", /\n/],
    ["lines of any system", /\r\n|\n|\r/],
    ["lines of Unicode", /\r\n|[\n\r\v\f\u0085\u2028\u2029]/],
  ];
  for (const [what, end] of ways) {
    const lines = text.split(end).filter((line) => line !== "");
    if (lines.length !== records) found.push(`the export has ${lines.length} ${what} for ${records} records`);
    if (lines.some(isForged)) found.push(`a forged record is among the ${what} of the export`);
  }
  return found;
}

/** Whether the text has control characters other than line feeds, or bidirectional overrides. */
function isRaw(text: string): boolean {
  return text.replaceAll("\n", "").search(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u) !== -1;
}

/** A header, and a line for each record. */
function judgeShown(text: string, records: number): string[] {
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).filter((line) => /\d{2}:\d{2}:\d{2}/.test(line));
  return [
    ...(lines.length === records ? [] : [`the command shows ${lines.length} lines for ${records} records`]),
    ...(isRaw(text) ? ["the command prints raw control characters"] : []),
  ];
}
