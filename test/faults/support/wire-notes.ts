import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FaultHome } from "./home.js";

const SERVER = fileURLToPath(new URL("./wire-server.mjs", import.meta.url));

/** An event at a server of `wire-server.mjs`. */
export interface WireNote {
  readonly kind: "held" | "cancelled" | "flooded";
  readonly server: string;
  readonly marker: string | null;
  /** The id of the gateway's request to that server. */
  readonly id: number | string;
  readonly pid: number;
  readonly atNs: string;
}

const fileOf = (home: FaultHome): string => home.path("notes.jsonl");

/** As in the configuration. */
export const wireServer = (home: FaultHome, name: string): object => ({
  command: process.execPath,
  args: [SERVER, fileOf(home), name],
});

/** All events so far, in order. Continues from the last position. */
export function openNotes(home: FaultHome): () => readonly WireNote[] {
  const file = fileOf(home);
  const all: WireNote[] = [];
  const buffer = Buffer.alloc(1024 * 1024);
  let position = 0;
  let rest = "";
  return () => {
    if (!existsSync(file)) return all;
    const handle = openSync(file, "r");
    for (let read = readSync(handle, buffer, 0, buffer.length, position); read > 0; ) {
      position += read;
      const lines = (rest + buffer.toString("latin1", 0, read)).split("\n");
      rest = lines.pop() ?? "";
      all.push(...lines.map((line) => JSON.parse(line) as WireNote));
      read = readSync(handle, buffer, 0, buffer.length, position);
    }
    closeSync(handle);
    return all;
  };
}
