import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { createThreadLane } from "./thread-lane.js";

const REQUEST = { part: "audit", method: "head", given: [] } as const;

async function program(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "thread-")), "worker.mjs");
  await writeFile(file, `import { parentPort } from "node:worker_threads";\n${text}`);
  return file;
}

describe("the store's thread", () => {
  it("takes with it what is under way when it ends, and is started again", async () => {
    const lane = createThreadLane("none", {
      program: await program(`parentPort.once("message", () => process.exit());`),
    });
    const both = await Promise.all([lane.send(REQUEST), lane.send(REQUEST)]);
    const over = { kind: "failed", fault: { reason: "its thread ended", isFatal: false } };
    expect(both).toMatchObject([over, over]);
    expect(await lane.send(REQUEST)).toMatchObject(over);
    await lane.close();
  });

  it("says why it failed", async () => {
    const lane = createThreadLane("none", { program: await program(`throw new Error("no such luck");`) });
    expect(await lane.send(REQUEST)).toMatchObject({ fault: { reason: "its thread failed: no such luck" } });
    await lane.close();
  });

  it("does not keep anybody waiting for a disk that hangs", async () => {
    const slow = `parentPort.on("message", ({ kind }) => kind === "close" && parentPort.close());`;
    const lane = createThreadLane("none", { program: await program(slow), deadlineMs: 10 });
    expect(await lane.send(REQUEST)).toMatchObject({ fault: { reason: "it did not answer within 10 ms" } });
    await lane.close();
  });

  it("is given no more than it can be expected to do while it is late, and everything again when it has answered", async () => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const slow = `parentPort.on("message", ({ kind, requests }) => {
      if (kind === "close") return parentPort.close();
      const [gate] = requests[0].given;
      if (gate !== undefined) Atomics.wait(gate, 0, 0);
      parentPort.postMessage(requests.map(() => ({ kind: "done", value: requests.length })));
    });`;
    const lane = createThreadLane("none", { program: await program(slow), deadlineMs: 200 });
    const isLate = { fault: { reason: "it did not answer within 200 ms" } };
    expect(await lane.send({ ...REQUEST, given: [gate] })).toMatchObject(isLate);
    const answers: unknown[] = [];
    for (let sent = 1; sent < 1100; sent += 1) void lane.send(REQUEST).then((reply) => answers.push(reply));
    // At once, and not after another deadline.
    await new Promise((resolve) => setImmediate(resolve));
    expect(answers).toHaveLength(100);
    expect(answers[99]).toMatchObject(isLate);
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    await eventually(async () => (await lane.send(REQUEST)).kind === "done");
    await lane.close();
  });

  it("gets what is sent in one go as one, in order", async () => {
    const echo = `parentPort.on("message", ({ kind, requests }) => {
      if (kind === "close") parentPort.close();
      else parentPort.postMessage(requests.map(({ given }) => ({ kind: "done", value: [given[0], requests.length] })));
    });`;
    const lane = createThreadLane("none", { program: await program(echo) });
    const sent = [1, 2, 3].map((n) => lane.send({ ...REQUEST, given: [n] }));
    expect((await Promise.all(sent)).map((reply) => reply.kind === "done" && reply.value)).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    await lane.close();
    expect(await lane.send(REQUEST)).toMatchObject({ fault: { reason: "it was closed" } });
  });

  it("has little room for what does not stay", async () => {
    const limits = `const { resourceLimits } = await import("node:worker_threads");
    parentPort.on("message", ({ kind, requests }) => {
      if (kind === "close") parentPort.close();
      else parentPort.postMessage(requests.map(() => ({ kind: "done", value: resourceLimits.maxYoungGenerationSizeMb })));
    });`;
    const lane = createThreadLane("none", { program: await program(limits) });
    const reply = await lane.send(REQUEST);
    expect(reply.kind === "done" && reply.value).toBeLessThanOrEqual(8);
    await lane.close();
  });

  it("answers what cannot be passed on, and goes on", async () => {
    const echo = `parentPort.on("message", ({ kind, requests }) => {
      if (kind === "close") parentPort.close();
      else parentPort.postMessage(requests.map(() => ({ kind: "done", value: 1 })));
    });`;
    const lane = createThreadLane("none", { program: await program(echo) });
    const odd = lane.send({ ...REQUEST, given: [() => 1] });
    expect(await odd).toMatchObject({
      kind: "failed",
      fault: { reason: expect.stringContaining("cannot be passed on") },
    });
    expect(await lane.send(REQUEST)).toEqual({ kind: "done", value: 1 });
    await lane.close();
  });

  it("keeps the process alive until it has ended, also when answers come in between", async () => {
    const thread = await program(`parentPort.on("message", ({ kind, requests }) => {
      if (kind === "close") setTimeout(() => parentPort.close(), 50);
      else parentPort.postMessage(requests.map(() => ({ kind: "done" })));
    });`);
    const lane = join(dirname(thread), "lane.mjs");
    const entry = fileURLToPath(new URL("./thread-lane.ts", import.meta.url));
    await build({ entryPoints: [entry], outfile: lane, bundle: true, platform: "node", format: "esm" });
    const main = join(dirname(thread), "main.mjs");
    await writeFile(
      main,
      `import { createThreadLane } from "./lane.mjs";
      const lane = createThreadLane("none", { program: ${JSON.stringify(thread)} });
      void lane.send(${JSON.stringify(REQUEST)});
      await lane.close();`,
    );
    expect(await once(fork(main, { execArgv: [], stdio: "ignore" }), "exit")).toEqual([0, null]);
  });
});
