import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that leave nothing behind in their process share one, file after file: to start another takes longer than most. */
const LIGHT = [
  "src/{adapters,audit,catalog,config,discover,executor,metatools,policy,rules,search,sources,store,toolfiles}/**/*.test.ts",
  "src/util/{*,document/*,json/*}.test.ts",
];
const OTHERS_PER_FAULTS = 4;

/** No long file comes last, where one worker would wait for the other, and those that time what they do are kept apart. */
class LongBetweenOthers extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const light = sorted.filter(({ project }) => project.name === "light");
    const faults = sorted.filter(({ moduleId }) => moduleId.includes("/test/faults/"));
    const others = sorted.filter((file) => !light.includes(file) && !faults.includes(file));
    const spread = faults.flatMap((file) => [file, ...others.splice(0, OTHERS_PER_FAULTS)]);
    return [...spread, ...others, ...light];
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/support/isolate-home.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    // Most tests wait for processes and disks rather than for the processor.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongBetweenOthers },
    projects: [
      { extends: true, test: { name: "light", include: LIGHT, isolate: false } },
      {
        extends: true,
        test: { name: "own", include: ["src/**/*.test.ts", "test/**/*.test.ts"], exclude: LIGHT },
      },
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
