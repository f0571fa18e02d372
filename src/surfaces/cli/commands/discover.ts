import { interrupted } from "../../../util/interrupted.js";
import { discover, type DiscoveryReport } from "../../../discover/discover.js";
import { findRefused } from "../../../discover/standing-files.js";
import type { DiscoveryTarget } from "../../../discover/target.js";
import { DiscoveryError } from "../../../errors.js";
import { toErrorObject } from "../../../metatools/to-error-object.js";
import type { RefusedFile } from "../../../toolfiles/read-tool-files.js";
import { commandLine } from "../../../util/command-line.js";
import { canInterrupt, isAgreed, isConfirmed } from "../../../terminal/questions.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { chooseTargets } from "../discover/choose-targets.js";
import { type DiscoverDesk, openDiscoverDesk } from "../../../operations/discover/desk.js";
import { ENV_FILE, ignoreEnvFile, isExposed } from "../../../operations/discover/git-ignore.js";
import { refusedLines, toRefusedJson } from "../discover/refused-lines.js";
import { toReportJson } from "../discover/report-json.js";
import { type ReportView, discoveryReportLines } from "../discover/report-lines.js";
import { failureLines } from "../failure.js";
import { describeCliStep } from "../next-steps.js";
import { BLANK, GOOD, line, WARNING } from "../../../terminal/lines.js";
import { withEngine } from "../session.js";

const DRIFT = 1;

export const discoverTools: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const desk = openDiscoverDesk(await engine.stages(), input.text("folder"));
    const targets = await chooseTargets(input, context, desk);
    if (!desk.isRead)
      context.warn(`The gateway does not read tool files from ${desk.folder}. Add the folder to toolFiles.folders.`);
    const results: Result[] = [];
    const isDeclined = !(await mayWrite(targets, { input, context, desk }));
    for (const target of targets) {
      const isFirst = results.length === 0;
      results.push(await run(target, { input, context, desk, isOnly: targets.length === 1, isFirst, isDeclined }));
    }
    const refused = input.flag("check") ? await findUnreported(results, desk) : [];
    if (context.isJson) context.json(toJson(results, refused));
    else if (refused.length > 0) context.show([...(results.length === 0 ? [] : [BLANK]), ...refusedLines(refused)]);
    await offerToIgnore(results, { input, context, desk });
    return exitOf(results, refused, input);
  });

/** Rejected files that appear in no report, because no server was contacted for them. */
async function findUnreported(results: readonly Result[], { folder, parts }: DiscoverDesk): Promise<RefusedFile[]> {
  const reported = new Set(
    results.flatMap((result) =>
      result.kind === "report" ? result.report.files.flatMap(({ standing }) => standing?.path ?? []) : [],
    ),
  );
  return (await findRefused(folder, parts)).filter(({ path }) => !reported.has(path));
}

type Result =
  | { readonly kind: "report"; readonly report: DiscoveryReport }
  | { readonly kind: "failed"; readonly target: DiscoveryTarget; readonly error: DiscoveryError };

interface Run {
  readonly input: Input;
  readonly context: Context;
  readonly desk: DiscoverDesk;
  readonly isOnly: boolean;
  readonly isFirst: boolean;
  /** The user answered no, so nothing is written. */
  readonly isDeclined: boolean;
}

/** Asks at a terminal before files are written and signed. Without a terminal, running the command counts as consent. */
async function mayWrite(
  targets: readonly DiscoveryTarget[],
  { input, context, desk }: Pick<Run, "input" | "context" | "desk">,
): Promise<boolean> {
  const isReadOnly = input.flag("check") || input.flag("dryRun");
  if (isReadOnly || input.flag("yes") || targets.length === 0 || !canInterrupt(context)) return true;
  const names = targets.map(({ name }) => name).join(", ");
  return await isConfirmed(`Write tool files of ${names} to ${desk.folder}, signed with your key?`, context);
}

/** With several servers, the failure of one does not stop the others. */
async function run(
  target: DiscoveryTarget,
  { input, context, desk, isOnly, isFirst, isDeclined }: Run,
): Promise<Result> {
  const flag = (name: string): boolean => input.flag(name);
  const options = {
    check: flag("check"),
    prune: flag("prune"),
    force: flag("force"),
    dryRun: flag("dryRun") || isDeclined,
  };
  const { signal } = context.io;
  try {
    const work = discover({ target, folder: desk.folder, options }, desk.parts, signal);
    const report = await context.wait(work, () => `Listing the tools of ${addressOf(target)}…`);
    if (!context.isJson)
      context.show([
        ...(isFirst ? [] : [BLANK]),
        ...discoveryReportLines(report, viewOf({ input, context, desk, isDeclined })),
      ]);
    return { kind: "report", report };
  } catch (error) {
    if (signal.aborted) throw interrupted();
    if (isOnly || !(error instanceof DiscoveryError) || error.code === "CANCELLED") throw error;
    if (!context.isJson) context.note(failureLines(error));
    return { kind: "failed", target, error };
  }
}

function addressOf({ connection }: DiscoveryTarget): string {
  return connection.kind === "stdio" ? commandLine([connection.command, ...connection.args]) : connection.url;
}

function viewOf({
  input,
  context: { io },
  desk: { home, cwd },
  isDeclined,
}: Omit<Run, "isOnly" | "isFirst">): ReportView {
  const kind = input.flag("check") ? "check" : input.flag("dryRun") || isDeclined ? "dry-run" : "written";
  return { kind, home, cwd, columns: io.isTerminal.stdout ? io.columns : Infinity };
}

function toJson(results: readonly Result[], refused: readonly RefusedFile[]): unknown {
  const all = results.map((result) =>
    result.kind === "report"
      ? { success: isWhole(result), ...toReportJson(result.report) }
      : { server: result.target.name, ...toErrorObject(result.error, describeCliStep) },
  );
  const more = refused.length === 0 ? {} : { drift: true, refused: refused.map(toRefusedJson) };
  return all.length === 1 ? { ...all[0], ...more } : { success: results.every(isWhole), servers: all, ...more };
}

function isWhole(result: Result): boolean {
  return result.kind === "report" && !result.report.files.some(({ done }) => done === "failed");
}

/** Offers to add `.ai/.env` to .gitignore, so that credentials are not committed by mistake. */
async function offerToIgnore(
  results: readonly Result[],
  { input, context, desk }: Pick<Run, "input" | "context" | "desk">,
): Promise<void> {
  const isReadOnly = input.flag("check") || input.flag("dryRun");
  const needsAny = results.some((result) => result.kind === "report" && result.report.needs.length > 0);
  if (isReadOnly || !needsAny || !(await isExposed(desk.cwd))) return;
  const question = `Add ${ENV_FILE} to .gitignore, so that no key is committed?`;
  if (!(await isAgreed(question, input.flag("yes"), context))) {
    context.note([line(0, WARNING, ` ${ENV_FILE} is not in .gitignore. Add it before you write a key into the file.`)]);
    return;
  }
  const isDone = await ignoreEnvFile(desk.cwd);
  context.note([
    isDone
      ? line(0, GOOD, ` ${ENV_FILE} is in .gitignore.`)
      : line(
          0,
          WARNING,
          ` .gitignore is a symbolic link and was not changed. Add ${ENV_FILE} to the ignored files yourself.`,
        ),
  ]);
}

function exitOf(results: readonly Result[], refused: readonly RefusedFile[], input: Input): number {
  const failures = results.flatMap((result) =>
    result.kind === "failed" ? [result.error] : result.report.files.flatMap(({ failure }) => failure ?? []),
  );
  const [first] = failures;
  if (first !== undefined) return first.entry.exit;
  const isDrift = refused.length > 0 || results.some((result) => result.kind === "report" && result.report.isDrift);
  return input.flag("check") && isDrift ? DRIFT : 0;
}
