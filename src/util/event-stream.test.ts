import { expect, it } from "vitest";
import { eventStream } from "./event-stream.js";

it("yields every value in order and ends", async () => {
  const seen: number[] = [];
  const stream = eventStream<number>(async (emit) => {
    emit(1);
    await Promise.resolve();
    emit(2);
    emit(3);
  });
  for await (const value of stream) seen.push(value);
  expect(seen).toEqual([1, 2, 3]);
});

it("aborts the work when the reader stops early", async () => {
  let aborted = false;
  const stream = eventStream<number>(async (emit, signal) => {
    emit(1);
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    aborted = true;
  });
  for await (const _ of stream) break;
  expect(aborted).toBe(true);
});

it("passes a failure on to the reader", async () => {
  const stream = eventStream<number>(() => Promise.reject(new Error("broken")));
  await expect(stream.next()).rejects.toThrow("broken");
});
