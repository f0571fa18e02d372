import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { createThreadChannel } from "./thread-channel.js";

const REQUEST = { part: "audit", method: "head", args: [] } as const;

async function program(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "thread-")), "worker.mjs");
  await writeFile(file, `import { parentPort } from "node:worker_threads";\n${text}`);
  return file;
}

describe("createThreadChannel", () => {
  it("fails the requests in progress when the thread ends, and starts a new thread", async () => {
    const channel = createThreadChannel("none", {
      program: await program(`parentPort.once("message", () => process.exit());`),
    });
    const both = await Promise.all([channel.send(REQUEST), channel.send(REQUEST)]);
    const over = { kind: "failed", fault: { reason: "the database thread ended", isFatal: false } };
    expect(both).toMatchObject([over, over]);
    expect(await channel.send(REQUEST)).toMatchObject(over);
    await channel.close();
  });

  it("reports the error that ended the thread", async () => {
    const channel = createThreadChannel("none", { program: await program(`throw new Error("no such luck");`) });
    expect(await channel.send(REQUEST)).toMatchObject({
      fault: { reason: "the database thread failed: no such luck" },
    });
    await channel.close();
  });

  it("fails requests after a deadline when the disk hangs", async () => {
    const slow = `parentPort.on("message", ({ kind }) => kind === "close" && parentPort.close());`;
    const channel = createThreadChannel("none", { program: await program(slow), deadlineMs: 10 });
    expect(await channel.send(REQUEST)).toMatchObject({
      fault: { reason: "the database did not answer within 10 ms" },
    });
    await channel.close();
  });

  it("rejects requests beyond a limit while the thread is late, and accepts requests again after it has answered", async () => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const slow = `parentPort.on("message", ({ kind, requests }) => {
      if (kind === "close") return parentPort.close();
      const [gate] = requests[0].args;
      if (gate !== undefined) Atomics.wait(gate, 0, 0);
      parentPort.postMessage(requests.map(() => ({ kind: "done", value: requests.length })));
    });`;
    const channel = createThreadChannel("none", { program: await program(slow), deadlineMs: 200 });
    const isLate = { fault: { reason: "the database did not answer within 200 ms" } };
    expect(await channel.send({ ...REQUEST, args: [gate] })).toMatchObject(isLate);
    const answers: unknown[] = [];
    for (let sent = 1; sent < 1100; sent += 1) void channel.send(REQUEST).then((reply) => answers.push(reply));
    // Immediately, not after another deadline.
    await new Promise((resolve) => setImmediate(resolve));
    expect(answers).toHaveLength(100);
    expect(answers[99]).toMatchObject(isLate);
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    await eventually(async () => (await channel.send(REQUEST)).kind === "done");
    await channel.close();
  });

  it("sends requests of the same tick together and in order", async () => {
    const echo = `parentPort.on("message", ({ kind, requests }) => {
      if (kind === "close") parentPort.close();
      else parentPort.postMessage(requests.map(({ args }) => ({ kind: "done", value: [args[0], requests.length] })));
    });`;
    const channel = createThreadChannel("none", { program: await program(echo) });
    const sent = [1, 2, 3].map((n) => channel.send({ ...REQUEST, args: [n] }));
    expect((await Promise.all(sent)).map((reply) => reply.kind === "done" && reply.value)).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    await channel.close();
    expect(await channel.send(REQUEST)).toMatchObject({ fault: { reason: "the store was closed" } });
  });

  it("limits the memory for short-lived objects", async () => {
    const limits = `const { resourceLimits } = await import("node:worker_threads");
    parentPort.on("message", ({ kind, requests }) => {
      if (kind === "close") parentPort.close();
      else parentPort.postMessage(requests.map(() => ({ kind: "done", value: resourceLimits.maxYoungGenerationSizeMb })));
    });`;
    const channel = createThreadChannel("none", { program: await program(limits) });
    const reply = await channel.send(REQUEST);
    expect(reply.kind === "done" && reply.value).toBeLessThanOrEqual(8);
    await channel.close();
  });

  it("fails a request that cannot be cloned, and continues", async () => {
    const echo = `parentPort.on("message", ({ kind, requests }) => {
      if (kind === "close") parentPort.close();
      else parentPort.postMessage(requests.map(() => ({ kind: "done", value: 1 })));
    });`;
    const channel = createThreadChannel("none", { program: await program(echo) });
    const odd = channel.send({ ...REQUEST, args: [() => 1] });
    expect(await odd).toMatchObject({
      kind: "failed",
      fault: { reason: expect.stringContaining("cannot be sent to the database thread") },
    });
    expect(await channel.send(REQUEST)).toEqual({ kind: "done", value: 1 });
    await channel.close();
  });

  it("keeps the process alive until the thread has ended, even if replies arrive before", async () => {
    const thread = await program(`parentPort.on("message", ({ kind, requests }) => {
      if (kind === "close") setTimeout(() => parentPort.close(), 50);
      else parentPort.postMessage(requests.map(() => ({ kind: "done" })));
    });`);
    const channel = join(dirname(thread), "channel.mjs");
    const entry = fileURLToPath(new URL("./thread-channel.ts", import.meta.url));
    await build({ entryPoints: [entry], outfile: channel, bundle: true, platform: "node", format: "esm" });
    const main = join(dirname(thread), "main.mjs");
    await writeFile(
      main,
      `import { createThreadChannel } from "./channel.mjs";
      const channel = createThreadChannel("none", { program: ${JSON.stringify(thread)} });
      void channel.send(${JSON.stringify(REQUEST)});
      await channel.close();`,
    );
    expect(await once(fork(main, { execArgv: [], stdio: "ignore" }), "exit")).toEqual([0, null]);
  });
});
