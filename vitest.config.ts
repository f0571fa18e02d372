import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/isolate-home.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    // Most tests wait for processes and disks rather than for the processor.
    maxWorkers: Math.max(2, availableParallelism() - 1),
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
