// Limits for a server process by a control group of the kernel (version 1), as an operator would set them.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = "/sys/fs/cgroup";
const MIB = 1024 * 1024;
const MEMORY_MIB = 256;
const PROCESSES = 64;
/** Share of one core. */
const CORES = 0.25;
const PERIOD_MICROS = 20_000;

export interface LimitedGroup {
  readonly about: string;
  /** The command, in the group from its start. */
  wrap(server: { readonly command: string; readonly args: readonly string[] }): { command: string; args: string[] };
  /** How often the kernel refused memory, and how often a process. */
  refused(): { readonly memory: number; readonly processes: number };
  remove(): void;
}

/** Returns undefined on a system where this process cannot create such groups. */
export function createLimitedGroup(name: string): LimitedGroup | undefined {
  const controllers = ["memory", "pids", "cpu"] as const;
  const folderOf = (controller: string): string => join(ROOT, controller, `anygpt-faults-${process.pid}-${name}`);
  const remove = (): void => {
    for (const controller of controllers) {
      try {
        if (existsSync(folderOf(controller))) rmdirSync(folderOf(controller));
      } catch {
        // A process of the group has not ended; the caller reports it.
      }
    }
  };
  const set = (controller: string, file: string, value: number): void =>
    writeFileSync(join(folderOf(controller), file), String(value));
  const read = (controller: string, file: string): string => readFileSync(join(folderOf(controller), file), "utf8");
  try {
    for (const controller of controllers) mkdirSync(folderOf(controller));
    set("memory", "memory.limit_in_bytes", MEMORY_MIB * MIB);
    set("pids", "pids.max", PROCESSES);
    set("cpu", "cpu.cfs_period_us", PERIOD_MICROS);
    set("cpu", "cpu.cfs_quota_us", CORES * PERIOD_MICROS);
  } catch {
    remove();
    return undefined;
  }
  const enter = controllers.map((controller) => `echo $$ > ${folderOf(controller)}/cgroup.procs`).join(" && ");
  return {
    about: `control group: ${MEMORY_MIB} MiB of memory, ${PROCESSES} processes, ${CORES} of a core`,
    wrap: ({ command, args }) => ({ command: "sh", args: ["-c", `${enter} && exec "$0" "$@"`, command, ...args] }),
    refused: () => ({
      memory: Number(read("memory", "memory.failcnt")),
      processes: Number(/max (\d+)/.exec(read("pids", "pids.events"))?.[1] ?? 0),
    }),
    remove,
  };
}
