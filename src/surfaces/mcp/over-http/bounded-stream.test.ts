import { expect, it, vi } from "vitest";
import { boundStream } from "./bounded-stream.js";

const bytes = (size: number): Uint8Array => new Uint8Array(size);

function createSource() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const cancelled = vi.fn();
  const source = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: cancelled,
  });
  return { source, cancelled, push: (chunk: Uint8Array) => controller.enqueue(chunk), close: () => controller.close() };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("sends the initial texts, then the data of its source, and ends with its source", async () => {
  const { source, push, close } = createSource();
  const onEnd = vi.fn();
  const { body } = boundStream(source, { first: ["a"], onEnd });
  push(Buffer.from("b"));
  push(Buffer.from("c"));
  close();
  expect(await new Response(body).text()).toBe("abc");
  expect(onEnd).toHaveBeenCalledOnce();
});

it("ends with a comment when the client reads too slowly, and cancels its source", async () => {
  const { source, cancelled, push } = createSource();
  const onEnd = vi.fn();
  const { body } = boundStream(source, { onEnd, maxBytes: 100 });
  for (let count = 0; count < 50; count += 1) {
    if (cancelled.mock.calls.length > 0) break;
    push(bytes(30));
    await turn();
  }
  expect(cancelled).toHaveBeenCalledOnce();
  expect(onEnd).toHaveBeenCalledOnce();
  expect(await new Response(body).text()).toMatch(/^: closed because/);
});

it("ends when the client reads nothing for the stall time, even if no further data arrives", async () => {
  const { source, cancelled, push } = createSource();
  const ended = new Promise<void>((resolve) => {
    const { body } = boundStream(source, { onEnd: resolve, maxBytes: 100, stallMs: 1 });
    void body;
  });
  push(bytes(200));
  await ended;
  expect(cancelled).toHaveBeenCalledOnce();
});

it("continues for a client that reads a burst one chunk at a time", async () => {
  const { source, push, close } = createSource();
  const { body } = boundStream(source, { onEnd: () => undefined, maxBytes: 256 * 1024, stallMs: 60_000 });
  for (let count = 0; count < 700; count += 1) push(bytes(200));
  push(Buffer.from("the answer"));
  close();
  await turn();
  expect((await new Response(body).text()).endsWith("the answer")).toBe(true);
});

it("ends sooner when the total backlog is large, and subtracts its own backlog at the end", async () => {
  const total = { bytes: 9 * 1024 * 1024 };
  const { source, cancelled, push } = createSource();
  const { body } = boundStream(source, { onEnd: () => undefined, maxBytes: 1000, stallMs: 60_000, total });
  for (let count = 0; count < 2; count += 1) {
    push(bytes(600));
    await turn();
  }
  expect(cancelled).toHaveBeenCalledOnce();
  expect(await new Response(body).text()).toMatch(/^: closed because/);
  expect(total.bytes).toBe(9 * 1024 * 1024);
});

it("counts the overhead of small chunks in addition to their bytes", async () => {
  const { source, cancelled, push } = createSource();
  boundStream(source, { onEnd: () => undefined, maxBytes: 10_000 });
  let pushed = 0;
  for (; pushed < 1000 && cancelled.mock.calls.length === 0; pushed += 1) {
    push(bytes(1));
    await turn();
  }
  expect(pushed).toBeLessThan(250);
});

it("accepts a single message of any size", async () => {
  const { source, push, close } = createSource();
  const { body } = boundStream(source, { onEnd: () => undefined, maxBytes: 100 });
  push(bytes(10_000));
  await turn();
  close();
  expect((await new Response(body).arrayBuffer()).byteLength).toBe(10_000);
});

it("does not end for a client that reads everything at once", async () => {
  const { source, push, close } = createSource();
  const { body } = boundStream(source, { onEnd: () => undefined, maxBytes: 100 });
  const reader = body.getReader();
  let sum = 0;
  for (let count = 0; count < 100; count += 1) {
    push(bytes(90));
    sum += (await reader.read()).value?.byteLength ?? 0;
  }
  close();
  expect([sum, (await reader.read()).done]).toEqual([9000, true]);
});

it("cancels its source when the client disconnects, and sends the backlog when its owner ends it", async () => {
  const left = createSource();
  const one = boundStream(left.source, { onEnd: () => undefined });
  await one.body.cancel();
  expect(left.cancelled).toHaveBeenCalledOnce();

  const ended = createSource();
  const other = boundStream(ended.source, { onEnd: () => undefined });
  ended.push(Buffer.from("x"));
  await turn();
  other.end();
  expect(await new Response(other.body).text()).toBe("x");
  expect(ended.cancelled).toHaveBeenCalledOnce();
});
