// Runs a program of any build of this package. Start: node launch.mjs FOLDER discovery|anygpt WORDS…
// With FAULT_LAG=FILE it measures the lag of its own event loop, writes it there at SIGUSR2, and resets it.
import { renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const RESOLUTION_MS = 10;

const [, , folder = "dist", program] = process.argv;
process.argv.splice(2, 2);
if (process.env.FAULT_LAG !== undefined) measureLag(process.env.FAULT_LAG);
const { runAnygpt, runDiscovery } = await import(pathToFileURL(join(resolve(folder), "main.cjs")).href);
await (program === "anygpt" ? runAnygpt() : runDiscovery());

function measureLag(file) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  // The interval of the timer itself is not lag.
  const toMs = (nanoseconds) => Math.max(nanoseconds / 1e6 - RESOLUTION_MS, 0);
  delay.enable();
  process.on("SIGUSR2", () => {
    const lag = { p50: toMs(delay.percentile(50)), p99: toMs(delay.percentile(99)), max: toMs(delay.max) };
    writeFileSync(`${file}.part`, JSON.stringify(lag));
    renameSync(`${file}.part`, file);
    delay.reset();
  });
}
