import { cpus } from "node:os";

/** The processor time of all cores since the machine was started, in milliseconds. */
export interface ProcessorTime {
  readonly idle: number;
  readonly all: number;
}

export function readProcessorTime(): ProcessorTime {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, all };
}

/** The share of idle processor time between two readings, from 0 to 1; 0 if it cannot be computed. */
export function idleShare(from: ProcessorTime, to: ProcessorTime): number {
  const all = to.all - from.all;
  return all > 0 ? (to.idle - from.idle) / all : 0;
}
