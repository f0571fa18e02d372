import { resolve } from "node:path";
import { ERRORS } from "../../../errors.js";
import { expandHome } from "../../../util/home-path.js";
import { exportAudit } from "../audit/export-audit.js";
import { toFilter, wrong } from "../audit/filter.js";
import { followAudit } from "../audit/follow-audit.js";
import { type OpenAudit, openAudit } from "../audit/open-audit.js";
import { createRecordTable } from "../audit/record-lines.js";
import { type AuditFilter, readNewest, type ShownRecord } from "../audit/records.js";
import { verifyAudit } from "../audit/verify-audit.js";
import { toVerifyObject, verifyLines } from "../audit/verify-lines.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { count, dim, GOOD, line, WARNING } from "../lines.js";

/** Reads the store and nothing else: no server is looked for, and nothing is made where there is nothing. */
export const audit: Handler = async (input, context) => {
  refuseMixtures(input);
  const opened = await openAudit(context);
  const session = { ...opened, input, context };
  try {
    const file = input.text("export");
    if (input.flag("verify")) return await verify(session);
    return await (file === undefined ? show(session) : writeExport(session, file));
  } finally {
    await opened.close();
  }
};

interface Session extends OpenAudit {
  readonly input: Input;
  readonly context: Context;
}

const FILTERS = ["since", "until", "tool", "actor", "outcome", "kind", "request"];

function refuseMixtures(input: Input): void {
  const given = (names: readonly string[]): string[] =>
    names.filter((name) => input.text(name) !== undefined || input.flag(name) || input.number(name) !== undefined);
  const refuse = (option: string, others: readonly string[]): void => {
    const [other] = given(others);
    if (given([option]).length > 0 && other !== undefined) {
      throw wrong(`--${option} and --${other} do not go together.`, "Give one of them.");
    }
  };
  refuse("verify", [...FILTERS, "limit", "follow", "export", "force"]);
  refuse("export", ["limit", "follow"]);
  refuse("follow", ["until"]);
  if (input.flag("force") && input.text("export") === undefined) {
    throw wrong("--force is given without --export.", "Leave it out, or name the file to replace with --export.");
  }
}

async function verify({ audit, files, context }: Session): Promise<number> {
  const report = await context.wait(verifyAudit(audit, files), () => "Verifying the record…");
  if (context.isJson) context.json(toVerifyObject(report));
  else context.show(verifyLines(report));
  return report.findings.length === 0 ? 0 : ERRORS.AUDIT_UNAVAILABLE.exit;
}

async function writeExport({ audit, files, now, home, input, context }: Session, name: string): Promise<number> {
  const { archiveFolder } = files;
  const file = resolve(context.io.cwd, expandHome(name, home));
  const filter = toFilter(input, now, true);
  const work = exportAudit({ audit, archiveFolder, filter, file, isForced: input.flag("force") });
  const { records, missing } = await context.wait(work, () => "Writing the record…");
  if (context.isJson) context.json({ file, records, missing });
  else context.show([line(0, GOOD, ` ${count(records, "record")} written to ${file}.`)]);
  for (const archive of missing) context.warn(`Its records are left out, because it is missing: ${archive}.`);
  return missing.length === 0 ? 0 : ERRORS.AUDIT_UNAVAILABLE.exit;
}

const DEFAULT_LIMIT = 50;

async function show(session: Session): Promise<number> {
  const { audit, input, context } = session;
  const filter = toFilter(input, session.now);
  const isFollowing = input.flag("follow");
  // Before the records: whatever comes meanwhile is shown by following.
  const head = await audit.head();
  const upTo = { ...filter, query: { ...filter.query, before: head.seq + 1 } };
  const records = await readNewest(audit, upTo, input.number("limit") ?? DEFAULT_LIMIT);
  const display = createDisplay(context, records, isFollowing);
  if (context.isJson && !isFollowing) {
    context.json({ records, head, open_intents: (await audit.openIntents()).length });
    return 0;
  }
  if (records.length > 0 || isFollowing) display(records);
  else context.show([line(0, head.seq === 0 ? "Nothing is on record yet." : "No record matches.")]);
  if (isFollowing) await followAudit({ audit, filter, after: head.seq, show: display, io: context.io });
  else context.note(await notes(session, filter));
  return 0;
}

function createDisplay(context: Context, first: readonly ShownRecord[], isFollowing: boolean) {
  if (context.isJson && isFollowing) {
    return (records: readonly ShownRecord[]): void => {
      for (const record of records) context.jsonLine(record);
    };
  }
  const { isTerminal, columns } = context.io;
  const table = createRecordTable(first, isTerminal.stdout ? columns : Infinity);
  let hasHeading = false;
  return (records: readonly ShownRecord[]): void => {
    context.show([...(hasHeading ? [] : [table.heading]), ...table.rows(records)]);
    hasHeading = true;
  };
}

/** What the list does not show, as far as a person might miss it. */
async function notes({ audit }: Session, { isBare }: AuditFilter) {
  const open = isBare ? (await audit.openIntents()).length : 0;
  const { seq: archived } = await audit.start();
  return [
    ...(open === 0
      ? []
      : [
          line(
            0,
            WARNING,
            ` ${count(open, "call")} sent and without an outcome yet: --kind intent shows what was sent.`,
          ),
        ]),
    ...(archived === 0 ? [] : [line(0, dim(`Records up to ${archived} lie in archives: --export takes them along.`))]),
  ];
}
