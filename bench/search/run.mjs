// Runs `main.ts`, which is bundled first.
import { bundleInside } from "../support/bundle-inside.mjs";

const { runSearchBench } = await import(await bundleInside("bench/search/main.ts"));
const io = {
  cwd: process.cwd(),
  env: process.env,
  print: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
};
try {
  await runSearchBench(process.argv.slice(2), io);
} catch (error) {
  process.stderr.write(`${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}\n`);
  process.exitCode = 1;
}
