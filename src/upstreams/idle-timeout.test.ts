import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startIdleTimeout } from "./idle-timeout.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const onExpire = vi.fn();
  return { onExpire, timeout: startIdleTimeout(100, onExpire) };
}

it("calls back after the limit, and later when it is restarted", () => {
  const { onExpire, timeout } = start();
  vi.advanceTimersByTime(60);
  timeout.restart();
  vi.advanceTimersByTime(60);
  expect(onExpire).not.toHaveBeenCalled();
  vi.advanceTimersByTime(40);
  expect(onExpire).toHaveBeenCalledOnce();
});

it("does not expire while a pause is active, and has its full limit afterwards", () => {
  const { onExpire, timeout } = start();
  const [resume, resumeSecond] = [timeout.pause(), timeout.pause()];
  resume();
  resume();
  timeout.restart();
  vi.advanceTimersByTime(1000);
  expect(onExpire).not.toHaveBeenCalled();
  resumeSecond();
  vi.advanceTimersByTime(99);
  expect(onExpire).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onExpire).toHaveBeenCalledOnce();
});

it("does not expire if it is stopped during a pause", () => {
  const { onExpire, timeout } = start();
  const resume = timeout.pause();
  timeout.stop();
  resume();
  vi.advanceTimersByTime(1000);
  expect(onExpire).not.toHaveBeenCalled();
});
