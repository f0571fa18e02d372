import { resolve } from "node:path";
import { ERRORS } from "../../../errors.js";
import { toVerifyPage } from "../../../operations/audit/verify-page.js";
import { type AuditReader, openAudit } from "../../../operations/audit/open-audit.js";
import type { ShownRecord } from "../../../operations/audit/records.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import { expandHome } from "../../../util/home-path.js";
import { type AuditWords, toAuditSelection } from "../../../operations/audit/selection.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { BAD, count, dim, GOOD, line, type Line, type LineStyle, WARNING } from "../../../terminal/lines.js";
import { engineOptions, settleTrust } from "../trust-files.js";
import type { AuditReport } from "../../../operations/audit/verify-audit.js";
import { createFittedTable, type FittedColumn, type FittedTable } from "../../../terminal/fitted-table.js";
import { sanitize } from "../../../util/terminal.js";
import { combineSignatures } from "../../../operations/audit/combine-signatures.js";

export const audit: Handler = async (input, context) => {
  refuseMixtures(input);
  await settleTrust(context);
  const reader = await openAudit(engineOptions(context));
  try {
    const file = input.text("export");
    if (input.flag("verify")) return await verify(reader, context);
    return await (file === undefined ? show(reader, input, context) : writeExport(reader, file, input, context));
  } finally {
    await reader.close();
  }
};

const FILTERS = ["since", "until", "tool", "actor", "outcome", "kind", "request"] as const;

function refuseMixtures(input: Input): void {
  const given = (names: readonly string[]): string[] =>
    names.filter((name) => input.text(name) !== undefined || input.flag(name) || input.number(name) !== undefined);
  const refuse = (option: string, others: readonly string[]): void => {
    const [other] = given(others);
    if (given([option]).length > 0 && other !== undefined) {
      throw invalidRequest(`--${option} and --${other} cannot be used together.`, "Pass only one of these options.");
    }
  };
  refuse("verify", [...FILTERS, "limit", "follow", "export", "force"]);
  refuse("export", ["limit", "follow"]);
  refuse("follow", ["until"]);
  if (input.flag("force") && input.text("export") === undefined) {
    throw invalidRequest("--force can only be used with --export.", "Omit --force, or add --export FILE.");
  }
}

function wordsOf(input: Input): AuditWords {
  return Object.fromEntries(FILTERS.map((option) => [option, input.text(option)])) as AuditWords;
}

async function verify(reader: AuditReader, context: Context): Promise<number> {
  const report = await context.wait(reader.verify(), () => "Verifying the audit log…");
  context.reply(toVerifyPage(report), () => verifyLines(report));
  return report.findings.length === 0 ? 0 : ERRORS.AUDIT_UNAVAILABLE.exit;
}

async function writeExport(reader: AuditReader, name: string, input: Input, context: Context): Promise<number> {
  const file = resolve(context.io.cwd, expandHome(name, reader.home));
  const selection = toAuditSelection(wordsOf(input), reader.now);
  const work = reader.export(file, { selection, isForced: input.flag("force") });
  const { records, missing } = await context.wait(work, () => "Exporting the audit log…");
  context.reply({ file, records, missing }, () => [line(0, GOOD, ` ${count(records, "record")} written to ${file}.`)]);
  for (const archive of missing) context.warn(`The archive ${archive} is missing, so its records were not exported.`);
  return missing.length === 0 ? 0 : ERRORS.AUDIT_UNAVAILABLE.exit;
}

async function show(reader: AuditReader, input: Input, context: Context): Promise<void> {
  const selection = toAuditSelection(wordsOf(input), reader.now);
  const isFollowing = input.flag("follow");
  // Read the state before the records, so that `--follow` shows every later record.
  const { head, openIntents, archivedThrough } = await reader.state();
  const limit = input.number("limit");
  const records = await reader.read(selection, { through: head.seq, ...(limit === undefined ? {} : { limit }) });
  if (context.isJson && !isFollowing) return context.json({ records, head, open_intents: openIntents });
  const display = createDisplay(context, records);
  if (records.length > 0 || isFollowing) display(records);
  else context.show([line(0, head.seq === 0 ? "The audit log is empty." : "No record matches.")]);
  if (isFollowing) {
    const { stdout, signal } = context.io;
    const isOver = (): boolean => stdout.destroyed || stdout.errored !== null;
    for await (const page of reader.follow(selection, { after: head.seq, signal, isOver })) display(page);
    return;
  }
  const open = Object.keys(selection).length === 0 ? openIntents : 0;
  const unfinished = ` ${count(open, "call")} without a recorded outcome so far. Add --kind intent to see ${open === 1 ? "it" : "them"}.`;
  context.note([
    ...(open === 0 ? [] : [line(0, WARNING, unfinished)]),
    ...(archivedThrough === 0
      ? []
      : [line(0, dim(`Records up to ${archivedThrough} are in archives. Use --export to read them.`))]),
  ]);
}

function createDisplay(context: Context, first: readonly ShownRecord[]): (records: readonly ShownRecord[]) => void {
  if (context.isJson) {
    return (records) => {
      for (const record of records) context.jsonLine(record);
    };
  }
  const table = createRecordTable(first, context.widths.stdout);
  let hasHeading = false;
  return (records) => {
    context.show([...(hasHeading ? [] : [table.heading]), ...table.rows(records)]);
    hasHeading = true;
  };
}

const MOST_SHOWN = 10;

function verifyLines(report: AuditReport): Line[] {
  const { findings, head, archives, checkpoints, signedThrough, keyId, files } = report;
  const warnings = warningLines(report);
  if (head.seq === 0 && findings.length === 0) return ["The audit log is empty.", ...warnings];
  const where = archives === 0 ? "" : `, ${count(archives, "archive")} included`;
  if (findings.length > 0) {
    const checked = `Checked: ${count(head.seq, "record")}${where}, ${count(checkpoints, "checkpoint")}. If you have restored or removed the store or the key yourself, delete ${files.checkpointFile}; the next checkpoint creates a new file.`;
    return [
      line(0, BAD, ` The audit log was changed. The first invalid record is ${findings[0]?.seq}.`),
      ...findings.slice(0, MOST_SHOWN).map(({ seq, reason }) => line(2, `Record ${seq}: ${reason}.`)),
      ...(findings.length > MOST_SHOWN ? [line(2, `… and ${findings.length - MOST_SHOWN} more.`)] : []),
      line(2, checked),
      ...warnings,
    ];
  }
  const unsigned = head.seq - signedThrough;
  const newer = `${count(unsigned, "newer record")} ${unsigned === 1 ? "is" : "are"} not signed until the next checkpoint.`;
  const signed = ` Signed up to record ${signedThrough} with the key ${keyId ?? ""} (${count(checkpoints, "checkpoint")}).`;
  return [
    line(0, GOOD, ` ${count(head.seq, "record")}${where}: the hash chain is valid.`),
    signedThrough === 0
      ? line(0, WARNING, " No checkpoint is signed yet, so removed records at the end cannot be detected.")
      : line(0, GOOD, signed),
    ...(signedThrough > 0 && unsigned > 0 ? [line(2, newer)] : []),
    ...warnings,
  ];
}

/** Warnings about findings that are rare in an intact audit log and may mean that the log was manipulated. */
function warningLines({ earlierKey, gaps, hasStrayArchives, files }: AuditReport): Line[] {
  const last = earlierKey.at(-1);
  const signedBefore = `Signed with an earlier key: ${count(earlierKey.length, "checkpoint")} up to record ${last}. If you have not replaced ${files.signingKeyFile} yourself, another user has.`;
  const stray = `No record refers to the archives in ${files.archiveFolder}: they belong to another store, or records of this store were deleted.`;
  const lost = gaps.map(
    ({ recordedBy, first, through, timestamp }) =>
      `Record ${recordedBy} marks a gap: the earlier records ${first} to ${through} were missing at ${timestamp}. They were lost in a power failure, or the store was replaced or changed.`,
  );
  const warnings = [
    ...lost.slice(-MOST_SHOWN),
    ...(last === undefined ? [] : [signedBefore]),
    ...(hasStrayArchives ? [stray] : []),
  ];
  return warnings.map((text) => line(0, WARNING, ` ${text}`));
}

const STYLES: Readonly<Record<string, LineStyle>> = {
  ok: "green",
  error: "red",
  tool_error: "yellow",
  unknown: "yellow",
  intent: "dim",
};

const COLUMNS: readonly FittedColumn<ShownRecord>[] = [
  { title: "TIME", min: 20, text: ({ timestamp }) => toSeconds(timestamp) },
  { title: "ACTOR", min: 5, text: ({ actor_id: actor, by }) => toCell(actor ?? by) },
  { title: "SURFACE", min: 7, text: ({ surface }) => toCell(surface) },
  { title: "TOOL", min: 20, text: whatOf },
  { title: "RISK", min: 6, text: ({ risk }) => toCell(risk) },
  { title: "OUTCOME", min: 8, text: howOf, style: (record) => STYLES[howOf(record)] },
  { title: "CODE", min: 4, text: ({ error_code: code }) => toCell(code) },
  { title: "MS", min: 2, text: ({ duration_ms: ms }) => (typeof ms === "number" ? String(Math.round(ms)) : "") },
];

/** `width` is the width of the terminal. */
function createRecordTable(first: readonly ShownRecord[], width: number): FittedTable<ShownRecord> {
  const table = createFittedTable(first, {
    columns: COLUMNS,
    truncated: ["TOOL", "ACTOR"],
    omitted: ["SURFACE", "RISK", "ACTOR", "CODE"],
    width,
  });
  return { heading: table.heading, rows: (records) => table.rows(combineSignatures(records)) };
}

function whatOf(record: ShownRecord): string {
  const { kind, tool_id: tool, action, subject, archive, body } = record;
  if (kind === "note") return [action, subject, tool].map(toCell).filter(Boolean).join(" ");
  if (kind === "gap") return `records ${toCell(record["first_seq"])} to ${toCell(record["through_seq"])} are missing`;
  if (kind === "rotation") return `moved to ${toCell(archive)}`;
  return toCell(tool ?? body);
}

function howOf({ kind, outcome }: ShownRecord): string {
  return toCell(outcome ?? kind);
}

function toSeconds(timestamp: unknown): string {
  const text = toCell(timestamp);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/.test(text) ? `${text.slice(0, 19)}Z` : text;
}

/** The value as text on one line. */
function toCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return sanitize(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
