// Loaded into the gateway with --require, in every thread: on SIGUSR2 each thread writes which functions ran since the last signal.
const { writeFileSync } = require("node:fs");
const { Session } = require("node:inspector");
const { join } = require("node:path");
const { isMainThread, threadId } = require("node:worker_threads");

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

function take({ folder, number }) {
  const { result } = post("Profiler.takePreciseCoverage");
  const scripts = result
    .map(({ url, functions }) => ({ url, functions: functions.filter(({ ranges: [range] }) => range.count > 0) }))
    .filter(({ url, functions }) => url !== "" && functions.length > 0);
  const thread = isMainThread ? "main" : `worker-${threadId}`;
  writeFileSync(join(folder, `${number}-${thread}.json`), JSON.stringify(scripts));
}

/** An inspector session of the same thread calls back before `post` returns. */
function post(method) {
  let answer;
  session.post(method, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
}

const channel = new BroadcastChannel("bench-path");
channel.unref();
if (isMainThread) {
  let number = 0;
  process.on("SIGUSR2", () => {
    number += 1;
    // The gateway starts its threads with an empty environment.
    const request = { folder: process.env.BENCH_PATH_OUT, number };
    channel.postMessage(request);
    take(request);
  });
} else {
  channel.onmessage = ({ data }) => take(data);
}
