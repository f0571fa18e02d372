import { fingerprintOf } from "../../../catalog/record.js";
import type { Stages } from "../../../compose.js";
import { DiscoveryError } from "../../../errors.js";
import type { Pin } from "../../../store/pins.js";
import { toolId } from "../../../model/tool.js";
import type { Context } from "../context.js";
import { withEngine } from "../session.js";

/** The pins of the servers of the configuration, as they are connected by it. No server is started. */
export interface PinDesk {
  readonly stages: Stages;
  list(filter: { readonly server?: string | undefined; readonly onlyChanged?: boolean }): Promise<readonly Pin[]>;
  /** One tool's, or TOOL_NOT_FOUND. */
  find(server: string, tool: string): Promise<Pin>;
}

export async function withPins<T>(context: Context, use: (desk: PinDesk) => Promise<T>): Promise<T> {
  return await withEngine(context, async (engine) => {
    const stages = await engine.stages();
    const { pins } = stages.books.store;
    const keys = new Map(stages.collected.servers.map(({ name, connection }) => [name, fingerprintOf(connection)]));
    /** SERVER_NOT_FOUND with the nearest names. */
    const assertKnown = async (server: string): Promise<void> => {
      if (!keys.has(server)) await stages.discovery.server(server);
    };
    return await use({
      stages,
      async list({ server, onlyChanged = false }) {
        if (server !== undefined) await assertKnown(server);
        const found = await pins.list({ onlyChanged, ...(server === undefined ? {} : { server }) });
        return found.filter((pin) => keys.get(pin.server) === pin.fingerprint);
      },
      async find(server, tool) {
        await assertKnown(server);
        const pin = await pins.find({ server, tool, fingerprint: keys.get(server) ?? "" });
        if (pin === undefined) throw unknownTool(server, tool);
        return pin;
      },
    });
  });
}

function unknownTool(server: string, tool: string): DiscoveryError {
  return new DiscoveryError("TOOL_NOT_FOUND", `Nothing is remembered of ${toolId(server, tool)}.`, {
    server,
    tool,
    hint: `\`anygpt mcp pins list --server ${server}\` names the tools that were seen.`,
  });
}
