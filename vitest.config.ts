import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Three projects. `npm test` runs `unit` and `integration`, `npm run test:all` runs all. CONTRIBUTING.md has the rule.

/** Tests that leave nothing behind in their process share one, file after file: to start another takes longer than most. */
const SHARED_FOLDERS = [
  "adapters,audit,built-in,catalog,config,directory,discover,executor,gateway,metatools,metrics,operations,policy",
  "registry,results,rules,search,secrets,sources,store,surfaces,terminal,toolfiles,tracing",
].join(",");
const UNIT = [`src/{${SHARED_FOLDERS}}/**/*.test.ts`, "src/util/{*,document/*,json/*}.test.ts"];
/** Tests through the built programs, fault rows, and what takes more than 10 seconds on an idle machine. */
const LONG = ["test/{e2e,faults,package}/**/*.test.ts", "**/*.long.test.ts"];
/** A quick part of the long tests, for `npm test`. */
const SMOKE = ["test/{e2e,faults}/smoke.test.ts", "test/faults/support/*.test.ts"];

const OTHERS_PER_FAULTS = 4;

/** Spreads the fault rows, which load the machine, and starts the many quick files last: no worker ends long before the other. */
class LongBetweenOthers extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const unit = sorted.filter(({ project }) => project.name === "unit");
    const faults = sorted.filter(({ moduleId }) => moduleId.includes("/test/faults/"));
    const others = sorted.filter((file) => !unit.includes(file) && !faults.includes(file));
    const spread = faults.flatMap((file) => [file, ...others.splice(0, OTHERS_PER_FAULTS)]);
    return [...spread, ...others, ...unit];
  }
}

/** Ends a test that hangs. It is no assertion: a machine that is ten times slower must not reach it. */
const HANGING_MS = 300_000;

export default defineConfig({
  test: {
    globalSetup: ["test/support/isolate-home.ts"],
    testTimeout: HANGING_MS,
    hookTimeout: HANGING_MS,
    pool: "forks",
    // Most tests wait for processes and disks rather than for the processor.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongBetweenOthers },
    projects: [
      { extends: true, test: { name: "unit", include: UNIT, exclude: LONG, isolate: false } },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["{src,bench}/**/*.test.ts", "test/*.test.ts", "test/!(e2e|faults|package)/**/*.test.ts", ...SMOKE],
          exclude: [...UNIT, "**/*.long.test.ts"],
        },
      },
      { extends: true, test: { name: "long", include: LONG, exclude: SMOKE } },
    ],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/**/*.test.ts", "src/main.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: {
        lines: 85,
        "src/rules/**": { lines: 90 },
        "src/policy/**": { lines: 90 },
        "src/search/**": { lines: 90 },
        "src/executor/**": { lines: 90 },
      },
    },
  },
});
