import { describe, expect, it } from "vitest";
import { createListChanges } from "./list-changes.js";

/** A clock whose timers fire when time advances past them. */
function create() {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  const reports: number[] = [];
  const changes = createListChanges({
    now: () => now,
    schedule: (delayMs, run) => {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    onChange: () => reports.push(now),
  });
  const passTo = (time: number): void => {
    for (;;) {
      const due = timers.filter(({ at }) => at <= time).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      timers = timers.filter((other) => other !== due);
      now = due.at;
      due.run();
    }
    now = time;
  };
  return { changes, reports, passTo };
}

describe("notifications of a changed list", () => {
  it("are reported once for a burst of 200", () => {
    const { changes, reports, passTo } = create();
    for (let count = 0; count < 200; count++) changes.notify();
    passTo(10_000);
    expect(reports).toEqual([1_000]);
  });

  it("are also reported after the last one", () => {
    const { changes, reports, passTo } = create();
    changes.notify();
    passTo(900);
    changes.notify();
    passTo(1_000);
    changes.notify();
    passTo(5_000);
    expect(reports).toEqual([1_000, 2_000]);
  });

  it("are reported at most once a second and twenty times a minute when every report causes one", () => {
    const { changes, reports, passTo } = create();
    for (let time = 0; time < 120_000; time += 5) {
      passTo(time);
      changes.notify();
    }
    for (const [index, at] of reports.entries()) {
      expect(at - (reports[index - 1] ?? -1_000)).toBeGreaterThanOrEqual(1_000);
      expect(reports.filter((other) => other > at - 60_000 && other <= at).length).toBeLessThanOrEqual(20);
    }
    expect(reports.length).toBeGreaterThan(35);
  });

  it("keep the last change when the limit per minute is reached", () => {
    const { changes, reports, passTo } = create();
    for (let second = 0; second < 20; second++) {
      changes.notify();
      passTo((second + 1) * 1_000);
    }
    changes.notify();
    passTo(200_000);
    expect(reports).toHaveLength(21);
    expect(reports.at(-1)).toBe(61_000);
  });

  it("are not reported after stop", () => {
    const { changes, reports, passTo } = create();
    changes.notify();
    changes.stop();
    passTo(10_000);
    expect(reports).toEqual([]);
  });
});
