import { fileURLToPath } from "node:url";
import { createStore, storeFile } from "../../../src/store/create-store.js";
import { answerAtTerminal } from "../../support/answer-at-terminal.js";
import type { FaultHome } from "./home.js";

const LAUNCH = fileURLToPath(new URL("./launch.mjs", import.meta.url));
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
  return await answerAtTerminal({ words, cwd: home.folder, env: home.env }, "y\n");
}
