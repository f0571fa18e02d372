import { connectionFingerprint } from "../../catalog/record.js";
import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import { reloadFile } from "../../gateway/runtime-environment.js";
import { localActor } from "../../model/actor.js";
import { toolId } from "../../model/tool.js";
import type { Pin } from "../../store/pins.js";
import { writePrivateFile } from "../../util/private-files.js";
import { pinsHash } from "./pin-status.js";

/** The pins of the configured servers. Ignores pins from before a server's connection changed. Starts no server. */
export interface PinTable {
  list(filter: { readonly server?: string | undefined; readonly onlyChanged?: boolean }): Promise<readonly Pin[]>;
  /**
   * The pin of one tool, or all pins of the server that need approval. Throws TOOL_NOT_FOUND if the tool has no pin.
   */
  select(server: string, tool: string | undefined): Promise<readonly Pin[]>;
  /**
   * Approves the definitions in these pins, and notifies running gateways. Throws INVALID_REQUEST if one has changed.
   */
  approve(pins: readonly Pin[]): Promise<void>;
}

/** Opens the pinned definitions of the servers of an engine. */
export async function openPins(engine: DiscoveryEngine): Promise<PinTable> {
  const stages = await engine.stages();
  const { persistence, runtime } = stages;
  const { pins } = persistence.store;
  const keys = new Map(
    stages.configuredServers.servers.map(({ name, connection }) => [name, connectionFingerprint(connection)]),
  );
  /** Throws SERVER_NOT_FOUND with similar names if the server is not configured. */
  const assertKnown = async (server: string): Promise<void> => {
    if (!keys.has(server)) await stages.discovery.server(server);
  };
  const list: PinTable["list"] = async ({ server, onlyChanged = false }) => {
    if (server !== undefined) await assertKnown(server);
    const found = await pins.list({ onlyChanged, ...(server === undefined ? {} : { server }) });
    return found.filter((pin) => keys.get(pin.server) === pin.fingerprint);
  };
  return {
    list,
    async select(server, tool) {
      if (tool === undefined) return await list({ server, onlyChanged: true });
      await assertKnown(server);
      const pin = await pins.find({ server, tool, fingerprint: keys.get(server) ?? "" });
      if (pin === undefined) throw unknownTool(server, tool);
      return [pin];
    },
    async approve(chosen) {
      const { id: by, surface } = localActor("cli");
      for (const pin of chosen) {
        const { hash } = pin.current;
        const tool_id = toolId(pin.server, pin.tool);
        // The audit record is written before the approval takes effect.
        await persistence.note({ action: "approve_pin", subject: `${tool_id} ${hash}`, by, tool_id, surface });
        if ((await pins.approve(pin, { hash, by, now: runtime.now() })) === undefined) throw changedSince();
      }
      if (chosen.length > 0) await writePrivateFile(reloadFile(runtime.stateFolder), `${runtime.now()}\n`);
    },
  };
}

/** Throws INVALID_REQUEST if the definitions do not match the hash that the user reviewed. @internal */
export function assertReviewed(pins: readonly Pin[], hash: string | undefined): void {
  if (hash !== undefined && hash !== pinsHash(pins)) throw changedSince();
}

function changedSince(): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "The definitions have changed since they were reviewed.", {
    hint: { action: "run-command", command: "anygpt mcp pins diff", purpose: "review them again" },
  });
}

function unknownTool(server: string, tool: string): DiscoveryError {
  return new DiscoveryError("TOOL_NOT_FOUND", `The tool ${toolId(server, tool)} has no pin.`, {
    server,
    tool,
    hint: {
      action: "run-command",
      command: `anygpt mcp pins list --server ${server}`,
      purpose: "see all pinned tools",
    },
  });
}
