import { discover, type DiscoveryReport } from "../../../discover/discover.js";
import { findRefused } from "../../../discover/standing-files.js";
import type { DiscoveryTarget } from "../../../discover/target.js";
import { DiscoveryError } from "../../../errors.js";
import { toErrorObject } from "../../../metatools/to-error-object.js";
import type { RefusedFile } from "../../../toolfiles/read-tool-files.js";
import { commandLine } from "../../../util/command-line.js";
import { ask, canInterrupt } from "../ask.js";
import type { Handler, Input } from "../command.js";
import { type Context, interrupted } from "../context.js";
import { chooseTargets } from "../discover/choose-targets.js";
import { type DiscoverDesk, openDesk } from "../discover/desk.js";
import { ENV_FILE, ignoreEnvFile, isExposed } from "../discover/git-ignore.js";
import { refusedLines, toRefusedJson } from "../discover/refused-lines.js";
import { toReportJson } from "../discover/report-json.js";
import { type ReportView, reportLines } from "../discover/report-lines.js";
import { failureLines } from "../failure.js";
import { BLANK, GOOD, line, WARNING } from "../lines.js";
import { withEngine } from "../session.js";

const DRIFT = 1;

export const discoverServer: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const desk = openDesk(await engine.stages(), input);
    const targets = await chooseTargets(input, context, desk);
    if (!desk.isRead) context.warn(`The gateway does not read ${desk.folder}; toolFiles.folders says what it reads.`);
    const results: Result[] = [];
    for (const target of targets) {
      const isFirst = results.length === 0;
      results.push(await run(target, { input, context, desk, isOnly: targets.length === 1, isFirst }));
    }
    const refused = input.flag("check") ? await findUnasked(results, desk) : [];
    if (context.isJson) context.json(toJson(results, refused));
    else if (refused.length > 0) context.show([...(results.length === 0 ? [] : [BLANK]), ...refusedLines(refused)]);
    await offerToIgnore(results, { input, context, desk });
    return exitOf(results, refused, input);
  });

/** What is refused and in no report: nobody was asked about it, and nobody would notice. */
async function findUnasked(results: readonly Result[], { folder, parts }: DiscoverDesk): Promise<RefusedFile[]> {
  const told = new Set(
    results.flatMap((result) =>
      result.kind === "report" ? result.report.files.flatMap(({ standing }) => standing?.path ?? []) : [],
    ),
  );
  return (await findRefused(folder, parts)).filter(({ path }) => !told.has(path));
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
}

/** Of many, one that fails does not keep the others from being looked at. */
async function run(target: DiscoveryTarget, { input, context, desk, isOnly, isFirst }: Run): Promise<Result> {
  const flag = (name: string): boolean => input.flag(name);
  const options = { check: flag("check"), prune: flag("prune"), force: flag("force"), dryRun: flag("dryRun") };
  const { signal } = context.io;
  try {
    const work = discover({ target, folder: desk.folder, options }, desk.parts, signal);
    const report = await context.wait(work, () => `Asking ${placeOf(target)} for its tools…`);
    if (!context.isJson)
      context.show([...(isFirst ? [] : [BLANK]), ...reportLines(report, viewOf(input, context, desk))]);
    return { kind: "report", report };
  } catch (error) {
    if (signal.aborted) throw interrupted();
    if (isOnly || !(error instanceof DiscoveryError) || error.code === "CANCELLED") throw error;
    if (!context.isJson) context.note(failureLines(error));
    return { kind: "failed", target, error };
  }
}

function placeOf({ connection }: DiscoveryTarget): string {
  return connection.kind === "stdio" ? commandLine([connection.command, ...connection.args]) : connection.url;
}

function viewOf(input: Input, { io }: Context, { home, cwd }: DiscoverDesk): ReportView {
  const kind = input.flag("check") ? "check" : input.flag("dryRun") ? "dry-run" : "written";
  return { kind, home, cwd, columns: io.isTerminal.stdout ? io.columns : Infinity };
}

function toJson(results: readonly Result[], refused: readonly RefusedFile[]): unknown {
  const all = results.map((result) =>
    result.kind === "report"
      ? { success: isWhole(result), ...toReportJson(result.report) }
      : { server: result.target.name, ...toErrorObject(result.error) },
  );
  const more = refused.length === 0 ? {} : { drift: true, refused: refused.map(toRefusedJson) };
  return all.length === 1 ? { ...all[0], ...more } : { success: results.every(isWhole), servers: all, ...more };
}

function isWhole(result: Result): boolean {
  return result.kind === "report" && !result.report.files.some(({ done }) => done === "failed");
}

/** Credentials belong into a file that nobody commits by mistake. */
async function offerToIgnore(
  results: readonly Result[],
  { input, context, desk }: Pick<Run, "input" | "context" | "desk">,
): Promise<void> {
  const isLook = input.flag("check") || input.flag("dryRun");
  const needsAny = results.some((result) => result.kind === "report" && result.report.needs.length > 0);
  if (isLook || !needsAny || !(await isExposed(desk.cwd))) return;
  const isWanted =
    input.flag("yes") ||
    (canInterrupt(context) &&
      (await ask(`Put ${ENV_FILE} into .gitignore, so that no key is committed?`, context)) === "yes");
  if (!isWanted) {
    context.note([line(0, WARNING, ` ${ENV_FILE} is not in .gitignore: put it there before you write a key into it.`)]);
    return;
  }
  const isDone = await ignoreEnvFile(desk.cwd);
  context.note([
    isDone
      ? line(0, GOOD, ` ${ENV_FILE} is in .gitignore.`)
      : line(
          0,
          WARNING,
          ` .gitignore is a link and was left as it is: see to it yourself that ${ENV_FILE} is ignored.`,
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
