import { rm } from "node:fs/promises";
import { join } from "node:path";
import { versions } from "node:process";
import type { Stages } from "../../../compose.js";
import { ERRORS } from "../../../errors.js";
import { auditFiles } from "../../../audit/files.js";
import { describeUntrusted } from "../../../config/load.js";
import { importNotes, untrustedFiles } from "../../../notices.js";
import { describeProblem } from "../../../util/document/problem.js";
import { ensurePrivateFolder, writePrivateFile } from "../../../util/private-files.js";
import { type AskedServer, type Asking, askServers } from "../ask-servers.js";
import { type Check, checkKeys, checkStore } from "../check-store.js";
import type { Handler } from "../command.js";
import { type Context, interrupted } from "../context.js";
import { inWordsOfTheCommandLine } from "../failure.js";
import { fixServers } from "../fix-servers.js";
import { BAD, BLANK, bold, count, dim, GOOD, line, type Line, WARNING } from "../lines.js";
import { openCatalog, withEngine } from "../session.js";

export const doctor: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const only = input.list("servers");
    // An unknown name fails here, with the nearest ones, before anything is started.
    for (const name of only) if (!stages.snapshot().servers.has(name)) await stages.discovery.server(name);
    const checks = await checkPlace(stages);
    const names = only.length > 0 ? only : stages.discovery.servers().map(({ definition }) => definition.name);
    const started = performance.now();
    const servers: Diagnosis[] = [];
    const onAnswer = (server: AskedServer): void => {
      const diagnosis = diagnose(server, stages);
      servers.push(diagnosis);
      if (!context.isJson) context.show(diagnosisLines(diagnosis, isQuoted(diagnosis, stages)));
    };
    if (!context.isJson) context.show([...checks.map(checkLine), BLANK]);
    const timeoutMs = (input.number("timeout") ?? LONGEST_SECONDS) * 1000;
    const end = await askAll({ names, timeoutMs, onAnswer }, stages, context);
    for (const late of end.asked.filter(({ name }) => !servers.some(({ server }) => server === name))) onAnswer(late);
    if (input.flag("fix") && !end.isInterrupted) {
      for (const server of await fixServers(end.asked, stages, context, input.flag("yes"))) {
        servers.splice(
          servers.findIndex((one) => one.server === server.name),
          1,
        );
        onAnswer(server);
      }
    }
    if (context.isJson && !end.isInterrupted) context.json({ checks, servers: inOrder(servers, names) });
    else if (context.isJson) throw interrupted();
    else context.show([BLANK, verdict(servers, { total: names.length, ms: performance.now() - started, ...end })]);
    if (end.isInterrupted) return ERRORS.CANCELLED.exit;
    const isWell = [...checks, ...servers].every(({ status }) => status !== "failed");
    return isWell ? 0 : ERRORS.SERVER_CONNECTION_ERROR.exit;
  });

/** Longest wait for all servers together, in seconds. */
const LONGEST_SECONDS = 60;

interface AskAll extends Required<Asking> {
  readonly names: readonly string[];
}

interface End {
  readonly asked: readonly AskedServer[];
  readonly isInterrupted: boolean;
}

/** Ctrl-C ends the wait: what is known by then is kept. */
async function askAll({ names, ...asking }: AskAll, stages: Stages, context: Context): Promise<End> {
  try {
    return { asked: await askServers(names, stages, context, asking), isInterrupted: false };
  } catch (error) {
    if (!context.io.signal.aborted) throw error;
    return { asked: [], isInterrupted: true };
  }
}

function inOrder(servers: readonly Diagnosis[], names: readonly string[]): Diagnosis[] {
  return names.flatMap((name) => servers.find(({ server }) => server === name) ?? []);
}

const OLDEST_NODE = 20;

async function checkPlace({ place, loaded, collected, books }: Stages): Promise<Check[]> {
  const isCurrent = Number.parseInt(versions.node, 10) >= OLDEST_NODE;
  const needs = isCurrent ? "" : `; version ${OLDEST_NODE} or later is needed`;
  const notice = (detail: string): Check => ({ name: "configuration", status: "notice", detail });
  return [
    { name: "node", status: isCurrent ? "ok" : "failed", detail: `${versions.node}${needs}` },
    { name: "configuration", status: "ok", detail: loaded.file ?? importNotes(loaded, collected)[0] ?? "none" },
    ...[...untrustedFiles(loaded, collected).map(describeUntrusted), ...loaded.notices, ...collected.notices].map(
      notice,
    ),
    ...collected.problems.map(
      (problem): Check => ({ name: "source", status: "failed", detail: describeProblem(problem) }),
    ),
    await checkState(place.stateFolder),
    checkStore(books.file),
    ...(await checkKeys(auditFiles(place.stateFolder, books.file))),
  ];
}

async function checkState(folder: string): Promise<Check> {
  const trial = join(folder, ".doctor");
  try {
    await ensurePrivateFolder(folder);
    await writePrivateFile(trial, "");
    await rm(trial, { force: true });
    return { name: "state folder", status: "ok", detail: folder };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    const detail = `${folder} cannot be written (${code}); correct its permissions or set ANYGPT_HOME to another folder`;
    return { name: "state folder", status: "failed", detail };
  }
}

/** How one server did when it was started. */
export interface Diagnosis {
  readonly server: string;
  readonly status: "ok" | "failed";
  readonly durationMs: number;
  readonly tools: number;
  readonly era?: string;
  readonly truncated?: true;
  readonly dropped?: readonly { readonly name: string; readonly reason: string }[];
  readonly reason?: string;
  readonly hint?: string;
  /** The last that it wrote to its standard error. */
  readonly stderr?: readonly string[];
}

const STDERR_LINES = 5;

function diagnose({ name, durationMs, failure }: AskedServer, { snapshot, upstreams }: Stages): Diagnosis {
  const server = snapshot().servers.get(name);
  const tools = server?.tools.length ?? 0;
  if (failure !== undefined) {
    // A server may have been started twice, in either era of the protocol, and have said the same twice.
    const stderr = [...new Set(upstreams.stderr(name))].slice(-STDERR_LINES);
    return {
      server: name,
      status: "failed",
      durationMs,
      tools,
      reason: failure.message,
      ...(failure.hint === undefined ? {} : { hint: failure.hint }),
      ...(stderr.length === 0 ? {} : { stderr }),
    };
  }
  const record = server?.record;
  return {
    server: name,
    status: "ok",
    durationMs,
    tools,
    ...(record === undefined ? {} : { era: record.era }),
    ...(record?.truncated ? { truncated: true as const } : {}),
    ...(record !== undefined && record.dropped.length > 0 ? { dropped: record.dropped } : {}),
  };
}

interface Outcome {
  readonly total: number;
  readonly ms: number;
  readonly isInterrupted: boolean;
}

function verdict(servers: readonly Diagnosis[], { total, ms, isInterrupted }: Outcome): Line {
  if (total === 0) return line(0, "No server is configured.");
  const failed = servers.filter(({ status }) => status === "failed").length;
  const told = failed === 0 ? "" : ` ${failed} of ${count(total, "server")} failed.`;
  if (isInterrupted) return line(0, WARNING, ` Interrupted: ${total - servers.length} not asked to the end.${told}`);
  const time = `${(ms / 1000).toFixed(1)} s`;
  return failed === 0
    ? line(0, GOOD, ` All servers answered (${time}).`)
    : line(0, BAD, ` ${failed} of ${count(total, "server")} failed (${time}).`);
}

function checkLine({ name, status, detail }: Check): Line {
  const mark = { ok: GOOD, notice: WARNING, failed: BAD }[status];
  return line(0, mark, ` ${name}: ${detail}`);
}

/** The reason has the line of its standard error that matters: the others would only repeat or surround it. */
function isQuoted({ server, reason = "" }: Diagnosis, { upstreams }: Stages): boolean {
  return upstreams.stderr(server).some((text) => text !== "" && reason.includes(text));
}

export function diagnosisLines(
  { server, status, durationMs, tools, ...rest }: Diagnosis,
  hidesStderr: boolean,
): Line[] {
  if (status === "failed") {
    return [
      line(0, BAD, " ", bold(server), ` failed after ${durationMs} ms`),
      line(2, rest.reason ?? ""),
      ...(rest.hint === undefined ? [] : [line(2, inWordsOfTheCommandLine(rest.hint))]),
      ...(hidesStderr ? [] : (rest.stderr ?? [])).map((text) => line(2, dim(`stderr: ${text}`))),
    ];
  }
  const facts = [count(tools, "tool"), `${durationMs} ms`, ...(rest.era === undefined ? [] : [`${rest.era} protocol`])];
  return [
    line(0, GOOD, " ", bold(server), ` (${facts.join(", ")})`),
    ...(rest.truncated ? [line(2, WARNING, " It has more tools than the limits allow; the rest was left out.")] : []),
    ...(rest.dropped ?? []).map(({ name, reason }) => line(2, WARNING, ` ${name} was left out: ${reason}`)),
  ];
}
