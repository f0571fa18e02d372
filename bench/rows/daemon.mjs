import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createHome } from "../support/home.mjs";
import { ANYGPT, ECHO } from "../support/places.mjs";
import { median, spreadOf, timeEach } from "../support/statistics.mjs";

const CALL = ["execute", "echo", "add", "--args", '{"a":1,"b":2}'];
const SEARCH = ["search", "add two numbers"];

/** Wall-clock time of whole commands, alternately with and without the background gateway. */
export const daemon = {
  name: "daemon",
  about: "commands in the background gateway, compared with --no-daemon",
  seconds: { usual: 60, quick: 25 },
  async run({ folder, rounds }) {
    const { env, config } = createHome(folder, { servers: { echo: { command: process.execPath, args: [ECHO] } } });
    const run = async (words) => {
      const argv = [ANYGPT, "mcp", ...words, "--config", config];
      return (await promisify(execFile)(process.execPath, argv, { env: { ...env, ANYGPT_DAEMON: "1" } })).stdout;
    };
    const starts = [];
    try {
      for (let round = 0; round < rounds(7, 3); round += 1) {
        await run(["daemon", "stop"]);
        starts.push(...(await timeEach(1, () => run(["daemon", "start"]))));
      }
      const times = { bare: [], attach: [], call: [], callAlone: [], search: [], searchAlone: [] };
      const time = async (name, act) => times[name].push(...(await timeEach(1, act)));
      // Starts the server and builds the catalog and the search index before the measurement.
      await run(CALL);
      await run(SEARCH);
      for (let round = 0; round < rounds(15, 5); round += 1) {
        await time("bare", () => promisify(execFile)(process.execPath, ["-e", "0"], { env }));
        await time("attach", () => run(["inspect", "echo", "add"]));
        await time("call", () => run(CALL));
        await time("search", () => run(SEARCH));
        await time("callAlone", () => run([...CALL, "--no-daemon"]));
        await time("searchAlone", () => run([...SEARCH, "--no-daemon"]));
      }
      const { daemons } = JSON.parse(await run(["daemon", "status", "--json"]));
      return toLines(times, starts, daemons[0].memory_bytes / 2 ** 20);
    } finally {
      await run(["daemon", "stop", "--all"]);
    }
  },
};

function toLines(times, starts, megabytes) {
  const bare = { name: "node -e 0", value: median(times.bare) };
  const line = (what, values, baseline, budget) => ({
    what,
    value: median(values),
    unit: "ms",
    spread: spreadOf(values),
    baseline,
    ratio: median(values) / baseline.value,
    ...(budget === undefined ? {} : { budget }),
  });
  const alone = (values) => ({ name: "--no-daemon", value: median(values) });
  return [
    line("daemon start: the daemon listens, and the command that started it has ended", starts, bare),
    line("inspect in the daemon: attach, answer from the catalog, exit", times.attach, bare),
    line("execute on a connected server in the daemon", times.call, alone(times.callAlone), { most: 150 }),
    line("search in the daemon", times.search, alone(times.searchAlone)),
    { what: "resident memory of the daemon after these commands", value: megabytes, unit: "MB" },
  ];
}
