import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRunning } from "../../support/eventually.js";
import type { FaultHome } from "./home.js";

const PROGRAM = fileURLToPath(new URL("./quick-server.sh", import.meta.url));

export type QuickMode = "stubborn" | "family" | "leaves" | "dies" | "unread" | "greedy" | "devours" | "bomb";

/** A server for the configuration; see `quick-server.sh`. */
export function quickServer(home: FaultHome, name: string, mode?: QuickMode): { command: string; args: string[] } {
  return { command: "sh", args: [PROGRAM, home.folder, name, ...(mode === undefined ? [] : [mode])] };
}

export interface QuickEntry {
  readonly kind: "start" | "child" | "call";
  readonly name: string;
  readonly pid: number;
}

/** All log entries of the servers of this home folder. */
export function readQuickLog({ folder }: FaultHome): QuickEntry[] {
  const file = join(folder, "quick.log");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  return lines.map((line) => {
    const [kind, name = "", pid] = line.split(" ");
    return { kind: kind as QuickEntry["kind"], name, pid: Number(pid) };
  });
}

/** The servers and their children that are still running. */
export function livingOf(home: FaultHome): QuickEntry[] {
  return readQuickLog(home).filter(({ kind, pid }) => kind !== "call" && isRunning(pid));
}
