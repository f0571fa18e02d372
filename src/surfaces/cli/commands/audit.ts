import { resolve } from "node:path";
import { ERRORS } from "../../../errors.js";
import { toVerifyPage } from "../../../operations/audit/verify-page.js";
import { type AuditReader, openAudit } from "../../../operations/audit/open-audit.js";
import type { ShownRecord } from "../../../operations/audit/records.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import { expandHome } from "../../../util/home-path.js";
import { createRecordTable } from "../audit/record-lines.js";
import { type AuditWords, toAuditSelection } from "../../../operations/audit/selection.js";
import { verifyLines } from "../audit/verify-lines.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { count, dim, GOOD, line, WARNING } from "../../../terminal/lines.js";
import { engineOptions, settleTrust } from "../trust-files.js";

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
      throw invalidRequest(`--${option} and --${other} cannot be used together.`, "Pass one of them.");
    }
  };
  refuse("verify", [...FILTERS, "limit", "follow", "export", "force"]);
  refuse("export", ["limit", "follow"]);
  refuse("follow", ["until"]);
  if (input.flag("force") && input.text("export") === undefined) {
    throw invalidRequest("--force can only be used with --export.", "Omit it, or add --export FILE.");
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
  // Read before the records, so that `--follow` shows every later record.
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
  const unfinished = ` ${count(open, "call")} sent without a recorded outcome yet. Add --kind intent to see ${open === 1 ? "it" : "them"}.`;
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
