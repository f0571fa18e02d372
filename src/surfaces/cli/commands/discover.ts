import type { DiscoveryTarget } from "../../../discover/target.js";
import { chooseTargets } from "../../../operations/discover/choose-targets.js";
import { type DiscoverDesk, openDiscoverDesk } from "../../../operations/discover/desk.js";
import {
  assessDiscovery,
  discoverServers,
  findUnreported,
  needsVariables,
  toDiscoveryPage,
} from "../../../operations/discover/discover-servers.js";
import { ENV_FILE, ignoreEnvFile, isExposed } from "../../../operations/discover/git-ignore.js";
import { BAD, BLANK, blocks, bold, count, GOOD, line, type Line } from "../../../terminal/lines.js";
import { askLine, canInterrupt, isAgreed, isAttended, isConfirmed } from "../../../terminal/questions.js";
import { commandLine } from "../../../util/command-line.js";
import type { Input } from "../command.js";
import type { Context } from "../context.js";
import { discoveryReportLines } from "../discover/report-lines.js";
import { failureLines, hintLines } from "../failure.js";
import { describeCliStep } from "../next-steps.js";
import { engineCommand } from "../session.js";
import { basename } from "node:path";
import type { RefusedFile } from "../../../toolfiles/read-tool-files.js";
import { groupRefused } from "../../../operations/toolfiles/group-files.js";

const DRIFT = 1;
const DECLINED = 1;

export const discoverTools = engineCommand(async (engine, input, context) => {
  const desk = openDiscoverDesk(await engine.stages(), input.text("folder"));
  const targets = await chooseTargets(requestOf(input, context), desk);
  if (!desk.isRead)
    context.warn(`The gateway does not read tool files from ${desk.folder}. Add the folder to toolFiles.folders.`);
  const [check, prune, force] = [input.flag("check"), input.flag("prune"), input.flag("force")];
  if (!(await mayWrite(targets, { input, context, desk }))) {
    context.note(["Nothing was written."]);
    return DECLINED;
  }
  const dryRun = input.flag("dryRun");
  const kind = check ? "check" : dryRun ? "dry-run" : "written";
  const view = { kind, home: desk.home, cwd: desk.cwd, columns: context.widths.stdout } as const;
  const results = await discoverServers(targets, desk, {
    options: { check, prune, force, dryRun },
    signal: context.io.signal,
    during: (target, work) => context.wait(work, () => `Listing the tools of ${addressOf(target)}…`),
    onResult(result, index) {
      if (context.isJson) return;
      if (result.kind === "failed") return context.note(failureLines(result.error));
      context.show([...(index === 0 ? [] : [BLANK]), ...discoveryReportLines(result.report, view)]);
    },
  });
  const refused = check ? await findUnreported(results, desk) : [];
  if (context.isJson) context.json(toDiscoveryPage(results, refused, describeCliStep));
  else if (refused.length > 0) context.show([...(results.length === 0 ? [] : [BLANK]), ...refusedLines(refused)]);
  if (!isReadOnly(input) && needsVariables(results)) await offerToIgnore({ input, context, desk });
  const { failure, isDrift } = assessDiscovery(results, refused);
  return failure?.entry.exit ?? (check && isDrift ? DRIFT : 0);
});

function requestOf(input: Input, context: Context) {
  return {
    words: input.list("words"),
    url: input.text("url"),
    command: input.text("command"),
    name: input.text("name"),
    authHeader: input.text("authHeader"),
    authEnv: input.text("authEnv"),
    headers: input.list("header"),
    isCheck: input.flag("check"),
    isForced: input.flag("force"),
    ...(context.isJson || !isAttended(context) ? {} : { ask: (question: string) => askLine(question, context) }),
  };
}

interface Run {
  readonly input: Input;
  readonly context: Context;
  readonly desk: DiscoverDesk;
}

function isReadOnly(input: Input): boolean {
  return input.flag("check") || input.flag("dryRun");
}

/**
 * At a terminal, asks before files are written and signed. Without a terminal, running the command counts as consent.
 */
async function mayWrite(targets: readonly DiscoveryTarget[], { input, context, desk }: Run): Promise<boolean> {
  if (isReadOnly(input) || input.flag("yes") || targets.length === 0 || !canInterrupt(context)) return true;
  const names = targets.map(({ name }) => name).join(", ");
  return await isConfirmed(`Write tool files of ${names} to ${desk.folder}, signed with your key?`, context);
}

function addressOf({ connection }: DiscoveryTarget): string {
  return connection.kind === "stdio" ? commandLine([connection.command, ...connection.args]) : connection.url;
}

/** Offers to add `.ai/.env` to .gitignore, so that credentials are not committed by mistake. */
async function offerToIgnore({ input, context, desk }: Run): Promise<void> {
  if (!(await isExposed(desk.cwd))) return;
  const question = `Add ${ENV_FILE} to .gitignore, so that no key is committed?`;
  if (!(await isAgreed(question, input.flag("yes"), context))) {
    return context.warn(`${ENV_FILE} is not in .gitignore. Add it before you write a key into the file.`);
  }
  if (await ignoreEnvFile(desk.cwd)) return context.note([line(0, GOOD, ` ${ENV_FILE} was added to .gitignore.`)]);
  context.warn(`.gitignore is a symbolic link and was not changed. Add ${ENV_FILE} to the ignored files yourself.`);
}

/** Rejected files. No server was contacted for them, because their signature is not trusted. */
function refusedLines(refused: readonly RefusedFile[]): Line[] {
  if (refused.length === 0) return [];
  const { byKey, others } = groupRefused(refused);
  return blocks([
    [line(0, bold("### Rejected Files"))],
    ...[...byKey].map(([keyId, files]) => strangerLines(keyId, files)),
    others.flatMap(({ error, reason }) => [line(0, BAD, ` ${reason}: ${error.message}`), ...hintLines(error)]),
  ]);
}

/** The files that are signed with one untrusted key, and how to trust this key, which accepts all of these files. */
function strangerLines(keyId: string, files: readonly RefusedFile[]): Line[] {
  const are = files.length === 1 ? "is" : "are";
  return [
    line(0, BAD, ` ${count(files.length, "file")} ${are} signed with the key ${keyId}, which is not trusted here:`),
    ...files.map(({ path }) => line(2, basename(path))),
    line(2, "If the key is your own, run `anygpt mcp keys trust 'anygpt-ed25519 KEY NAME' --yes` with the line that"),
    line(2, "`anygpt mcp keys export` prints on the machine that signed the files."),
  ];
}
