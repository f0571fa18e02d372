import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createStore, storeFile } from "../../../src/store/create-store.js";
import type { FaultHome } from "./home.js";

const LAUNCH = fileURLToPath(new URL("./launch.mjs", import.meta.url));
const LIMIT_MS = 60_000;
const QUESTION = /\[y\/N\]|\(y\/N\)/iu;
const TTL_MS = 300_000;

/** An approval by a user, as it is stored. */
export async function decideInStore(
  home: FaultHome,
  id: string,
  { kind = "approved", ttlMs = TTL_MS }: { kind?: "approved" | "denied"; ttlMs?: number } = {},
): Promise<void> {
  const store = createStore({ file: storeFile(home.state), inline: true });
  try {
    const decided = await store.approvals.decide(id, { kind, by: "a person", now: Date.now(), ttlMs });
    if (decided === undefined) throw new Error(`No approval request has the id ${id}.`);
  } finally {
    await store.close();
  }
}

/** A user at a terminal, which the command requires. Resolves with its output. */
export async function approveAtTerminal(home: FaultHome, dist: string, id: string): Promise<string> {
  const words = [process.execPath, LAUNCH, dist, "anygpt", "mcp", "approve", id, "--config", home.config];
  const line = words.map((word) => `'${word}'`).join(" ");
  // The two variants of `script` take the command in different ways.
  const given = process.platform === "darwin" ? ["-q", "/dev/null", ...words] : ["-qec", line, "/dev/null"];
  const child = promisify(execFile)("script", given, {
    env: { ...home.env, TERM: "dumb" },
    cwd: home.folder,
    timeout: LIMIT_MS,
  });
  // The gateway discards what is typed before the question.
  let shown = "";
  child.child.stdout?.on("data", (part) => {
    const isAsked = QUESTION.test(shown);
    shown += String(part);
    if (!isAsked && QUESTION.test(shown)) child.child.stdin?.write("y\n");
  });
  const { stdout } = await child;
  return stdout;
}
