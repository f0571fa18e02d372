// Removes the values of environment variables from /proc/PID/environ, which every process of the same user can read,
// and thus every server that the gateway starts. Linux shows there the memory in which the kernel stored the initial
// environment. Setting a variable gives it new memory, so that the initial memory is unused and can be overwritten.
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { readRegularFileSync, readRegularTextSync } from "./regular-file.js";

/** Variables without secrets. The C library may still refer to their initial memory. */
const KEPT = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|PWD)$/;
/** Positions of `env_start` and `env_end` in /proc/self/stat, counted from the state of the process (proc(5)). */
const [ENV_START, ENV_END] = [47, 48];
const FILL = 0x78;

/**
 * Overwrites the values in this process's initial environment. `env` (of the process) keeps all of them. Does nothing
 * on systems other than Linux, and if anything differs from what it expects.
 */
export function hideEnvironment(env: NodeJS.ProcessEnv): void {
  if (process.platform !== "linux") return;
  try {
    const stat = readRegularTextSync("/proc/self/stat");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [start, end] = [Number(fields[ENV_START]), Number(fields[ENV_END])];
    const initial = readRegularFileSync("/proc/self/environ");
    if (!(start > 0) || !Number.isSafeInteger(end) || end - start !== initial.length) return;
    const hidden = hiddenIn(initial, env);
    overwrite(start, initial, hidden);
  } catch {
    // Without /proc, no other process can read the environment either.
  }
}

/** A copy of the initial environment without the values that were moved to new memory. */
function hiddenIn(initial: Buffer, env: NodeJS.ProcessEnv): Buffer {
  const hidden = Buffer.from(initial);
  for (let from = 0; from < initial.length; ) {
    const zero = initial.indexOf(0, from);
    const to = zero === -1 ? initial.length : zero;
    const equals = initial.indexOf(0x3d, from);
    if (equals > from && equals < to) {
      const name = initial.toString("utf8", from, equals);
      const value = env[name];
      // A value that is not valid UTF-8 cannot be set again unchanged.
      if (!KEPT.test(name) && value !== undefined && initial.subarray(equals + 1, to).equals(Buffer.from(value))) {
        env[name] = value;
        hidden.fill(FILL, equals + 1, to);
      }
    }
    from = to + 1;
  }
  return hidden;
}

function overwrite(start: number, expected: Buffer, bytes: Buffer): void {
  const fd = openSync("/proc/self/mem", constants.O_RDWR);
  try {
    const found = Buffer.alloc(expected.length);
    if (readSync(fd, found, 0, found.length, start) === found.length && found.equals(expected)) {
      writeSync(fd, bytes, 0, bytes.length, start);
    }
  } finally {
    closeSync(fd);
  }
}
