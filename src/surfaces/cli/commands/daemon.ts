import { ensureDaemon, findDaemons, stopDaemons } from "../../../daemon/manage.js";
import { type DaemonPaths, daemonPaths } from "../../../daemon/paths.js";
import { listDaemons } from "../../../daemon/registry.js";
import type { DaemonStatus } from "../../../daemon/requests.js";
import { ERRORS } from "../../../errors.js";
import { toDaemonJson } from "../../../operations/background/daemon-page.js";
import { followDaemonLog, readDaemonLog } from "../../../operations/background/daemon-log.js";
import { sanitize } from "../../../util/terminal.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { BAD, blocks, bold, count, dim, GOOD, line, type Line, WAITING } from "../../../terminal/lines.js";
import { describeSpan } from "../../../util/time-words.js";

function placeOf({ io, configPath }: Context): DaemonPaths {
  return daemonPaths({ cwd: io.cwd, env: io.env, configPath });
}

export const daemonStatus: Handler = async (_input, context) => {
  const daemons = await listDaemons(placeOf(context).stateFolder);
  context.reply({ daemons: daemons.map(({ status }) => toDaemonJson(status)) }, () =>
    daemons.length === 0 ? [NOT_RUNNING] : blocks(daemons.map(({ status }) => statusLines(status, Date.now()))),
  );
};

const NOT_RUNNING =
  "No background gateway is running. The next command that needs servers starts one, unless it has --no-daemon.";

function statusLines(status: DaemonStatus, now: number): Line[] {
  const { cwd, config, pid, version, since, servers, memoryBytes, running, served, idleSeconds, isLeaving } = status;
  const age = describeSpan(now - Date.parse(since));
  const use = running > 0 ? `${count(running, "command")} running` : `idle for ${describeSpan(idleSeconds * 1000)}`;
  return [
    line(0, isLeaving ? WAITING : GOOD, " ", bold(cwd), isLeaving ? " (stops when its last command is finished)" : ""),
    line(2, `Configuration: ${config ?? "default search from this folder"}`),
    line(2, `Servers connected: ${servers.length === 0 ? "none" : servers.join(", ")}`),
    line(2, `${count(served, "command")} served, ${use}, ${Math.round(memoryBytes / 2 ** 20)} MiB of memory`),
    line(2, dim(`Process ${pid}, version ${version}, started ${age} ago`)),
  ];
}

export const daemonStart: Handler = async (_input, context) => {
  const { pid, isNew } = await start(context);
  const what = isNew ? "was started" : "is already running";
  context.reply({ pid, started: isNew }, () => [line(0, GOOD, ` The background gateway ${what}: process ${pid}.`)]);
};

async function start(context: Context): Promise<{ pid: number; isNew: boolean }> {
  const { env, signal } = context.io;
  const work = ensureDaemon({ paths: placeOf(context), env, signal });
  return await context.wait(work, () => "Starting the background gateway…");
}

export const daemonStop: Handler = async (input, context) => {
  const found = await findDaemons(placeOf(context), input.flag("all"));
  const stopped = await context.wait(stopDaemons(found), () => "Stopping the background gateway…");
  const data = stopped.map(({ pid, cwd, isLate }) => ({ pid, folder: cwd, ended: !isLate }));
  context.reply({ stopped: data }, () => {
    if (stopped.length === 0) return [line(0, nothingToStop(input.flag("all")))];
    return stopped.map(({ pid, cwd, isLate }) =>
      isLate
        ? line(0, BAD, ` Process ${pid} for ${cwd} is still running. Stop it with \`kill ${pid}\`.`)
        : line(0, GOOD, ` Stopped process ${pid} for ${cwd}.`),
    );
  });
  return stopped.some(({ isLate }) => isLate) ? ERRORS.INTERNAL_ERROR.exit : 0;
};

function nothingToStop(isAll: boolean): string {
  return isAll
    ? "No background gateway is running."
    : "No background gateway is running for this folder and configuration. `anygpt mcp daemon status` lists all.";
}

export const daemonRestart: Handler = async (_input, context) => {
  const found = await findDaemons(placeOf(context));
  await context.wait(stopDaemons(found), () => "Stopping the background gateway…");
  const { pid } = await start(context);
  context.reply({ pid, started: true }, () => [
    line(0, GOOD, ` The background gateway was restarted: process ${pid}.`),
  ]);
};

const DEFAULT_LINES = 50;

/** With `--follow`, runs until Ctrl-C or until the reader of standard output closes the pipe. */
export const daemonLogs: Handler = async (input, context) => {
  const { stdout, signal } = context.io;
  const { logFile } = placeOf(context);
  const { lines, end } = await readDaemonLog(logFile, input.number("lines") ?? DEFAULT_LINES);
  const safe = lines.map((text) => sanitize(text));
  if (context.isJson) for (const text of safe) context.jsonLine({ line: text });
  else stdout.write(safe.map((text) => `${text}\n`).join(""));
  if (!input.flag("follow")) return;
  for await (const added of followDaemonLog(logFile, end, signal)) {
    if (added !== "") stdout.write(sanitize(added));
    if (stdout.destroyed || stdout.errored !== null) return;
  }
};
