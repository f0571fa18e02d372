import { createInterface } from "node:readline";
import { renameSync, writeFileSync } from "node:fs";
import { waitFor } from "./deadline.js";
import { type Gateway, type Json, openGateway } from "./gateway.js";
import type { FaultHome } from "./home.js";

const READ_AGAIN = "The configuration was read again";
const STAYS = "The configuration stays as it was";

/** A gateway whose configuration changes under it. */
export interface ReloadingGateway extends Gateway {
  /** How often it has read its configuration again, and how often in vain. */
  reloads(): number;
  refusals(): number;
  /** Puts a configuration in place, in one step, and tells nobody. */
  save(config: object): void;
  /** The same, and waits until the gateway has said what came of it. */
  reload(config: object): Promise<void>;
  /** What a meta-tool answers, as an object. */
  ask(tool: string, args?: Json): Promise<Json>;
  /** The names of its servers. */
  servers(): Promise<string[]>;
}

export async function openReloading(home: FaultHome, dist: string, config: object): Promise<ReloadingGateway> {
  const lines: string[] = [];
  const own: FaultHome["own"] = (child) => {
    home.own(child);
    createInterface({ input: child.stderr! }).on("line", (line) => lines.push(line));
  };
  const count = (text: string): number => lines.filter((line) => line.includes(text)).length;
  const save = (next: object): void => {
    writeFileSync(`${home.config}.new`, JSON.stringify(next));
    renameSync(`${home.config}.new`, home.config);
  };
  save(config);
  const gateway = await openGateway({ ...home, own }, { dist });
  const ask = async (tool: string, args: Json = {}): Promise<Json> => {
    const outcome = await gateway.request("tools/call", { name: tool, arguments: args });
    if (outcome.kind !== "answer") throw new Error(`${tool} ended in ${JSON.stringify(outcome)}.`);
    const [first] = outcome.result["content"] as { text: string }[];
    return JSON.parse(first?.text ?? "{}") as Json;
  };
  return Object.assign(Object.create(gateway) as Gateway, {
    reloads: () => count(READ_AGAIN),
    refusals: () => count(STAYS),
    save,
    async reload(next: object) {
      const before = count(READ_AGAIN);
      save(next);
      gateway.signal("SIGHUP");
      await waitFor(() => count(READ_AGAIN) > before, "end of a reload");
      // That may have been one that the gateway had begun by itself, with the file as it was: the next has read this one.
      gateway.signal("SIGHUP");
      await waitFor(() => count(READ_AGAIN) > before + 1, "end of the next reload");
    },
    ask,
    async servers() {
      const { servers } = await ask("list_mcp_servers");
      return (servers as { name: string }[]).map(({ name }) => name);
    },
  });
}
