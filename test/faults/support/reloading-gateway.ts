import { createInterface } from "node:readline";
import { renameSync, writeFileSync } from "node:fs";
import { BUILT_IN_SERVER } from "../../../src/model/built-in.js";
import { waitFor } from "./deadline.js";
import { type Gateway, type Json, openGateway } from "./gateway.js";
import type { FaultHome } from "./home.js";

const READ_AGAIN = "The configuration was reloaded";
const STAYS = "The new configuration is invalid, so the previous one stays in use";

/** A gateway whose configuration changes while it runs. */
export interface ReloadingGateway extends Gateway {
  /** How often it has reloaded its configuration, and how often it rejected one. */
  reloads(): number;
  refusals(): number;
  /** Replaces the configuration atomically without notifying the gateway. */
  save(config: object): void;
  /** The same, and waits until the gateway has logged the result. */
  reload(config: object): Promise<void>;
  /** The answer of a meta-tool as an object. */
  ask(tool: string, args?: Json): Promise<Json>;
  /** The names of its servers, without the built-in server. */
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
      // This may have been a reload of the previous file that was already running: the next one has read this file.
      gateway.signal("SIGHUP");
      await waitFor(() => count(READ_AGAIN) > before + 1, "end of the next reload");
    },
    ask,
    async servers() {
      const { servers } = await ask("list_mcp_servers");
      return (servers as { name: string }[]).map(({ name }) => name).filter((name) => name !== BUILT_IN_SERVER);
    },
  });
}
