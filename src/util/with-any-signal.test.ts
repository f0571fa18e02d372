import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { withAnySignal } from "./with-any-signal.js";

const untilAborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason), { once: true }));

it.each([0, 1])("aborts the work when signal %i does, with its reason", async (which) => {
  const controllers = [new AbortController(), new AbortController()];
  const work = withAnySignal(
    controllers.map(({ signal }) => signal),
    untilAborted,
  );
  controllers[which]?.abort("enough");
  expect(await work).toBe("enough");
});

it("starts the work aborted if a signal is aborted already", async () => {
  const signals = [new AbortController().signal, AbortSignal.abort("before")];
  expect(await withAnySignal(signals, async ({ aborted, reason }) => [aborted, reason])).toEqual([true, "before"]);
});

it("passes a single signal on unchanged", async () => {
  const { signal } = new AbortController();
  expect(await withAnySignal([signal, undefined], async (own) => own)).toBe(signal);
});

it.each([
  ["done", async () => undefined],
  ["failed", async () => Promise.reject(new Error("no"))],
])("removes its listeners from the signals when the work is %s", async (_, work) => {
  const signals = [new AbortController().signal, new AbortController().signal];
  await withAnySignal(signals, work).catch(() => undefined);
  expect(signals.flatMap((signal) => getEventListeners(signal, "abort"))).toEqual([]);
});
