// Runs `main.ts`, which is bundled first.
import { bundleInside } from "../support/bundle-inside.mjs";

const { runRiskBench } = await import(await bundleInside("bench/risk/main.ts"));
runRiskBench(process.argv.slice(2), process.env, (text) => void process.stdout.write(`${text}\n`));
