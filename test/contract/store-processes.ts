import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { AuditMark } from "../../src/store/audit-records.js";
import type { StoreParts } from "../../src/store/create-store.js";
import type { Job } from "./store-process.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface StoreProcess {
  readonly child: ChildProcess;
  /** The records that the process has acknowledged as durable. */
  readonly written: AuditMark[];
  run(job: Job): Promise<unknown>;
  /** Resolves when this many more records are written. */
  untilWritten(count: number): Promise<void>;
  kill(): Promise<void>;
}

/** Separate processes that share a store. The program is bundled once, inside the project, so that its driver resolves. */
export async function createStoreProcesses() {
  const outfile = join(ROOT, "node_modules", ".anygpt-test", `store-process-${process.pid}.mjs`);
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["test/contract/store-process.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
  });
  const running: StoreProcess[] = [];
  return {
    async start(count: number, parts: StoreParts): Promise<StoreProcess[]> {
      const started = Array.from({ length: count }, () => createProcess(fork(outfile, { execArgv: [] })));
      running.push(...started);
      await Promise.all(started.map((each) => each.run({ kind: "open", parts })));
      return started;
    },
    async killAll(): Promise<void> {
      await Promise.all(running.splice(0).map((each) => each.kill()));
    },
    async close(): Promise<void> {
      await rm(outfile, { force: true });
    },
  };
}

export type StoreProcesses = Awaited<ReturnType<typeof createStoreProcesses>>;

type Message =
  | { kind: "done"; value: unknown }
  | { kind: "failed"; reason: string }
  | { kind: "written"; mark: AuditMark };

function createProcess(child: ChildProcess): StoreProcess {
  const written: AuditMark[] = [];
  child.on("message", (message: Message) => {
    if (message.kind === "written") written.push(message.mark);
  });
  return {
    child,
    written,
    run: (job) =>
      new Promise((resolve, reject) => {
        const listen = (message: Message): void => {
          if (message.kind === "written") return;
          child.off("message", listen);
          if (message.kind === "done") resolve(message.value);
          else reject(new Error(message.reason));
        };
        child.on("message", listen);
        child.once("exit", () => reject(new Error("The process exited.")));
        child.send(job);
      }),
    async untilWritten(count) {
      const target = written.length + count;
      while (written.length < target) await once(child, "message");
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
