import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "./gateway.js";

export interface CatalogWriter {
  /** The last listing that it reported as written. */
  last(): string;
  /** Resolves when this many more are written. */
  untilWritten(count: number): Promise<void>;
  kill(): Promise<void>;
}

/** Processes that write one catalog. The program is bundled once, inside the project, so that the store's driver resolves. */
export async function createCatalogWriters() {
  const outfile = join(ROOT, "node_modules", ".anygpt-test", `catalog-writer-${process.pid}.mjs`);
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["test/support/catalog-writer.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
  });
  const running: CatalogWriter[] = [];
  return {
    start(file: string, name: string): CatalogWriter {
      const writer = createWriter(fork(outfile, [file, name], { execArgv: [] }));
      running.push(writer);
      return writer;
    },
    async close(): Promise<void> {
      await Promise.all(running.map((writer) => writer.kill()));
      await rm(outfile, { force: true });
    },
  };
}

export type CatalogWriters = Awaited<ReturnType<typeof createCatalogWriters>>;

function createWriter(child: ChildProcess): CatalogWriter {
  const written: string[] = [];
  const ended = once(child, "exit");
  child.on("message", (mark: string) => written.push(mark));
  return {
    last: () => written.at(-1) ?? "",
    async untilWritten(count) {
      const target = written.length + count;
      const isGone = ended.then(() => true);
      while (written.length < target) {
        if ((await Promise.race([once(child, "message"), isGone])) === true) throw new Error("The writer has exited.");
      }
    },
    async kill() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    },
  };
}
