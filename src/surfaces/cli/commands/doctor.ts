import { type DiscoveryError, ERRORS } from "../../../errors.js";
import { disabledNames } from "../../../gateway/configured-servers.js";
import { checkEnvironment } from "../../../operations/doctor/check-environment.js";
import {
  assertKnownServers,
  type CheckedServer,
  checkServers,
  recheckServers,
  type ServersCheck,
} from "../../../operations/doctor/check-servers.js";
import { createBrokenFolders, quotesStderr, repairServers } from "../../../operations/doctor/repair-servers.js";
import type { EnvironmentCheck } from "../../../operations/doctor/check-store.js";
import type { MessageFault } from "../../../upstreams/message-monitor.js";
import { openCatalog } from "../../../operations/open-catalog.js";
import { interrupted } from "../../../util/interrupted.js";
import { isAttended, isConfirmed } from "../../../terminal/questions.js";
import { failureLines } from "../failure.js";
import { BAD, BLANK, bold, count, dim, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import { waitForAsking, engineCommand } from "../session.js";

export const doctor = engineCommand(async (engine, input, context) => {
  const stages = await openCatalog(engine);
  const only = input.list("servers");
  await assertKnownServers(only, stages);
  const checks = await checkEnvironment(engine);
  if (!context.isJson) context.show([...checks.map(checkLine), BLANK]);
  const started = performance.now();
  const broken = createBrokenFolders();
  const onServer = (server: CheckedServer, error: DiscoveryError | undefined): void => {
    broken.add(server, error);
    if (!context.isJson) context.show(diagnosisLines(server, quotesStderr(server, stages)));
  };
  const seconds = input.number("timeout");
  const timeout = seconds === undefined ? {} : { timeoutMs: seconds * 1000 };
  let report = await waitForAsking(context, (asking) =>
    checkServers(engine, { servers: only, onServer, ...timeout, ...asking }),
  );
  if (input.flag("fix") && !report.isInterrupted) {
    const hasFailed = report.servers.some(({ status }) => status === "failed");
    if (hasFailed && broken.isEmpty()) context.aside(["Nothing to fix: no failure was caused by a broken npx folder."]);
    report = await repairServers(engine, report, broken, {
      isAttended: isAttended(context),
      isAgreed: input.flag("yes"),
      ask: (folder, servers) =>
        isConfirmed(
          `Remove the broken npx folder ${folder} (${servers.join(", ")})? npx installs the package again.`,
          context,
        ),
      onRemoved: (folder) => context.note([`Removed ${folder}.`]),
      onFailed: (error) => context.note(failureLines(error)),
      recheck: (names) => waitForAsking(context, (asking) => recheckServers(engine, names, { onServer, ...asking })),
    });
  }
  const { servers, isInterrupted } = report;
  if (context.isJson && isInterrupted) throw interrupted();
  context.reply({ checks, servers }, () => [
    ...(servers.length === 0 ? [] : [BLANK]),
    verdict(report, disabledNames(stages.config), performance.now() - started),
  ]);
  if (isInterrupted) return ERRORS.CANCELLED.exit;
  const isWell = [...checks, ...servers].every(({ status }) => status !== "failed");
  return isWell ? 0 : ERRORS.SERVER_CONNECTION_ERROR.exit;
});

function verdict({ servers, total, isInterrupted }: ServersCheck, disabled: readonly string[], ms: number): Line {
  if (total === 0 && disabled.length > 0)
    return `No server is enabled. Disabled: ${disabled.join(", ")}. Run \`anygpt mcp enable NAME\`.`;
  if (total === 0) return "No server is configured. Add one with `anygpt mcp add NAME -- COMMAND`.";
  const failed = servers.filter(({ status }) => status === "failed").length;
  const failures = failed === 0 ? "" : ` ${failed} of ${count(total, "server")} failed.`;
  if (isInterrupted)
    return line(0, WARNING, ` Interrupted: ${count(total - servers.length, "server")} not checked.${failures}`);
  const time = `${(ms / 1000).toFixed(1)} s`;
  return failed === 0
    ? line(0, GOOD, ` All servers answered (${time}).`)
    : line(0, BAD, ` ${failed} of ${count(total, "server")} failed (${time}).`);
}

function checkLine({ name, status, detail }: EnvironmentCheck): Line {
  const mark = { ok: GOOD, notice: WARNING, failed: BAD }[status];
  return line(0, mark, ` ${name}: ${detail}`);
}

function diagnosisLines({ server, status, durationMs, tools, ...rest }: CheckedServer, hidesStderr: boolean): Line[] {
  if (status === "failed") {
    return [
      line(0, BAD, " ", bold(server), " failed"),
      line(2, rest.reason ?? ""),
      ...(rest.hint === undefined ? [] : [line(2, rest.hint)]),
      ...faultLines(rest.faultyMessages),
      ...(hidesStderr ? [] : (rest.stderr ?? [])).map((text) => line(2, dim(`stderr: ${text}`))),
    ];
  }
  const amount =
    rest.enabled === undefined ? count(tools, "tool") : `${rest.enabled} of ${count(tools, "tool")} enabled`;
  return [
    line(0, GOOD, " ", bold(server), ` (${amount}, ${durationMs} ms)`),
    ...(rest.truncated
      ? [line(2, WARNING, " The server has more tools than the limits allow. The excess tools are not used.")]
      : []),
    ...(rest.dropped ?? []).map(({ name, reason }) =>
      line(2, WARNING, name === "" ? ` Not used: ${reason}` : ` The tool ${name} is not used: ${reason}`),
    ),
    ...faultLines(rest.faultyMessages),
  ];
}

/** The labels of the counts. */
const FAULTS: Readonly<Record<MessageFault, string>> = {
  notJson: "Lines on standard output that are not MCP messages",
  strayAnswers: "Responses to no request",
  dropped: "Notifications and requests above the limit, which the gateway ignored",
  refused: "Messages that are too large, nested too deep, or have too many values",
  invalidUtf8: "Messages that are not UTF-8",
};

function faultLines(faults: CheckedServer["faultyMessages"] = {}): Line[] {
  return (Object.keys(FAULTS) as MessageFault[]).flatMap((kind) => {
    const times = faults[kind] ?? 0;
    return times === 0 ? [] : [line(2, WARNING, ` ${FAULTS[kind]}: ${times}`)];
  });
}
