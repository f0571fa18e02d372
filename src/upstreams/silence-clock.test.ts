import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startSilenceClock } from "./silence-clock.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const onSilence = vi.fn();
  return { onSilence, clock: startSilenceClock(100, onSilence) };
}

it("expires after its period, and later when it is restarted", () => {
  const { onSilence, clock } = start();
  vi.advanceTimersByTime(60);
  clock.restart();
  vi.advanceTimersByTime(60);
  expect(onSilence).not.toHaveBeenCalled();
  vi.advanceTimersByTime(40);
  expect(onSilence).toHaveBeenCalledOnce();
});

it("does not run while a pause is active, and has its full period afterwards", () => {
  const { onSilence, clock } = start();
  const [goOn, alsoGoOn] = [clock.pause(), clock.pause()];
  goOn();
  goOn();
  clock.restart();
  vi.advanceTimersByTime(1000);
  expect(onSilence).not.toHaveBeenCalled();
  alsoGoOn();
  vi.advanceTimersByTime(99);
  expect(onSilence).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onSilence).toHaveBeenCalledOnce();
});

it("stays stopped when a pause ends", () => {
  const { onSilence, clock } = start();
  const goOn = clock.pause();
  clock.stop();
  goOn();
  vi.advanceTimersByTime(1000);
  expect(onSilence).not.toHaveBeenCalled();
});
