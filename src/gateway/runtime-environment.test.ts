import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { toRuntimeEnvironment } from "./runtime-environment.js";

describe("the steady clock", () => {
  it("is the same in every process", () => {
    const { steadyNow } = toRuntimeEnvironment({ env: { HOME: "/nowhere" } });
    const script = "process.stdout.write(String(process.hrtime.bigint() / 1_000_000n))";
    const before = steadyNow();
    const inOtherProcess = Number(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }));
    expect(inOtherProcess).toBeGreaterThanOrEqual(before);
    expect(inOtherProcess).toBeLessThanOrEqual(steadyNow());
  });
});
