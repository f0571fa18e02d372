import { existsSync } from "node:fs";
import { join } from "node:path";
import { RESULTS_SERVER } from "../support/catalogs.mjs";
import { endAll, isAlive, kill, processesOf } from "../support/census.mjs";
import { textOf } from "../support/connect.mjs";
import { pause, until, within } from "../support/limit.mjs";
import { createHome, openPeer } from "../support/session.mjs";

const USUAL = { errorMs: 10_000, recoveryMs: 12_000, leftMs: 5000 };
const QUICK = { errorMs: 6000, recoveryMs: 7000, leftMs: 5000 };
const TRY_LIMIT_MS = 2000;

/** Kills the server with SIGKILL in the middle of a call and again between two calls; then kills the gateway. */
export const kills = {
  name: "kills",
  about: "errors and recovery after a server is killed, and processes left when the gateway exits",
  seconds: { usual: 180, quick: 90 },
  async run(context) {
    const limits = context.isQuick ? QUICK : USUAL;
    const rows = [];
    for (const peer of context.peers.filter(({ adapter }) => adapter.name !== "direct")) {
      context.say(`kills: ${peer.adapter.name}`);
      rows.push(await runPeer({ folder: context.folder, limits }, peer));
    }
    const time = { better: "low", margin: 0.25, grain: 0.05 };
    context.show({
      title: "A server is killed (SIGKILL)",
      columns: [
        { key: "error", label: "error after s", ...time },
        { key: "again", label: "works again after s", ...time },
        { key: "againTries", label: "tries", better: "low" },
        { key: "between", label: "killed between calls: works after s", ...time },
        { key: "betweenTries", label: "tries", better: "low" },
        { key: "leftClosed", label: "left after close", better: "low" },
        { key: "leftKilled", label: "left after kill", better: "low" },
      ],
      rows,
      notes: [
        `error: from the kill during a call until the caller gets an error; at most ${limits.errorMs / 1000} s. works: from the kill until another`,
        `call is answered, tried at once and then every 250 ms for ${limits.recoveryMs / 1000} s. left: processes ${limits.leftMs / 1000} s after the client closed,`,
        "or the gateway was killed, with a server that ignores the end of its input and SIGTERM.",
      ],
    });
  },
};

async function runPeer(context, peer) {
  const { name, notes } = peer.adapter;
  const row = { name, cells: {}, notes: notes?.kills === undefined ? {} : { leftClosed: notes.kills } };
  try {
    Object.assign(row.cells, await killServer(context, peer));
    const [leftClosed, leftKilled] = await Promise.all([
      countLeft(context, peer, (gateway) => gateway.close().then(() => gateway.stop())),
      countLeft(context, peer, (gateway) => kill(gateway.pid)),
    ]);
    Object.assign(row.cells, { leftClosed, leftKilled });
  } catch (error) {
    row.notes.row = `${name} was skipped after an error: ${error.message.replace(/\.$/, "")}`;
  }
  return row;
}

async function killServer(context, peer) {
  const home = createHome(context.folder, peer.adapter.name);
  const servers = { results: { command: process.execPath, args: [RESULTS_SERVER] } };
  let gateway;
  try {
    gateway = await openPeer(peer, { servers, home });
    const { error, again } = await killDuring(gateway, home, context.limits);
    const between = again.seconds === undefined ? {} : await killBetween(gateway, context.limits);
    return {
      error: error ?? `none in ${context.limits.errorMs / 1000} s`,
      again: again.seconds ?? "never",
      againTries: again.tries,
      between: again.seconds === undefined ? undefined : (between.seconds ?? "never"),
      betweenTries: between.tries,
    };
  } finally {
    await gateway?.close();
    gateway?.stop();
    await endAll(home);
  }
}

/** Seconds from the kill to the caller's error, if there was one in time, and to the first call that works again. */
async function killDuring(gateway, home, limits) {
  const pid = await pidOf(gateway);
  const file = join(home, "at-work");
  let failedAt;
  const outcome = gateway
    .call("results", "wait", { file })
    .catch(() => undefined)
    .then(() => (failedAt = performance.now()));
  if (!(await until(10_000, () => existsSync(file))))
    throw new Error("The call that should be interrupted did not start.");
  const killedAt = await killNow(pid);
  const again = await untilAnswered(gateway, killedAt, limits);
  const left = limits.errorMs - (performance.now() - killedAt);
  await within(Math.max(left, 1), "The error", outcome).catch(() => undefined);
  return { again, error: failedAt === undefined ? undefined : (failedAt - killedAt) / 1000 };
}

async function killBetween(gateway, limits) {
  return await untilAnswered(gateway, await killNow(await pidOf(gateway)), limits);
}

async function killNow(pid) {
  kill(pid);
  const killedAt = performance.now();
  await until(2000, () => !isAlive(pid), 2);
  return killedAt;
}

/** Stops waiting for an unanswered call after a while and makes further calls in parallel, as other callers would. */
async function untilAnswered(gateway, killedAt, { recoveryMs }) {
  for (let tries = 1; performance.now() - killedAt < recoveryMs; tries += 1) {
    const word = `word-${tries}-${Math.round(killedAt)}`;
    const isRight = await within(TRY_LIMIT_MS, "A call", gateway.call("results", "echo", { text: word })).then(
      (result) => result.isError !== true && textOf(result).includes(word),
      () => false,
    );
    if (isRight) return { seconds: (performance.now() - killedAt) / 1000, tries };
    await pause(250);
  }
  return {};
}

async function pidOf(gateway) {
  let pid;
  await until(10_000, async () => {
    const text = await gateway.call("results", "pid", {}).then(textOf, () => "");
    pid = Number(/\d{2,}/.exec(text)?.[0]);
    return pid > 0 && isAlive(pid);
  });
  if (!(pid > 0)) throw new Error("The server process was not found.");
  return pid;
}

async function countLeft(context, peer, end) {
  const home = createHome(context.folder, peer.adapter.name);
  const servers = { results: { command: process.execPath, args: [RESULTS_SERVER, "--stubborn"] } };
  try {
    const gateway = await openPeer(peer, { servers, home });
    await pidOf(gateway);
    await end(gateway);
    await until(context.limits.leftMs, () => processesOf(home).length === 0, 100);
    return processesOf(home).length;
  } finally {
    await endAll(home);
  }
}
