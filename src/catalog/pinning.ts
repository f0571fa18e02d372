// Input: the tool definitions of servers. Output: the definitions that are not approved. The store keeps the pins. This
// module approves only tools that were never seen before, and only if `trustNew` is set.
import type { JsonObject } from "../model/json.js";
import { type Quarantine, type ToolDefinition, toolId } from "../model/tool.js";
import { commandLine } from "../util/command-line.js";
import { canonicalJson } from "../util/json/canonical.js";
import { sha256 } from "../util/sha256.js";
import { differingPointers } from "./differing-pointers.js";
import { createPinInheritance } from "./inherit-pins.js";
import type { PinStore, ServerKey, StoredPin } from "./pin-store.js";
import { type Quarantines, NO_QUARANTINES } from "./quarantine.js";

export interface PinningParts {
  readonly pins: PinStore;
  readonly mode: "off" | "warn" | "enforce";
  /** Whether a tool that was never seen before is approved automatically. */
  readonly trustNew: boolean;
  readonly now: () => number;
  readonly log: (message: string) => void;
}

/** A server and its known tools. */
export interface KnownTools extends ServerKey {
  readonly tools: readonly ToolDefinition[];
  /** Whether the tools come from the configuration instead of the server. */
  readonly isManifest: boolean;
  /**
   * Names of the tools that were not approved when the tool list was received; undefined if the approvals were not
   * checked.
   */
  readonly unapproved: readonly string[] | undefined;
}

export interface Pinning {
  /** Whether unapproved tools are quarantined. If false, callers need not wait for the pins. */
  readonly enforces: boolean;
  /**
   * Stores the server's current tool definitions. If `enforces` is true, it returns the tools to quarantine, and
   * rejects if the pins cannot be read: then none of the definitions may be shown.
   */
  see(server: ServerKey, tools: readonly ToolDefinition[]): Promise<Quarantines>;
  /**
   * Returns the tools to quarantine in stored tool lists, in the order of `servers`. Never rejects: if the pins cannot
   * be read, all tools are quarantined.
   */
  recall(servers: readonly KnownTools[]): Promise<readonly Quarantines[]>;
}

export function createPinning({ pins, mode, trustNew, now, log }: PinningParts): Pinning {
  const enforces = mode === "enforce";
  const inherit = createPinInheritance(pins);

  const see = async ({ server, fingerprint }: ServerKey, tools: readonly ToolDefinition[]): Promise<Quarantines> => {
    const at = now();
    await inherit({ server, fingerprint }, at);
    const definitions = tools.map(toSeen);
    const unapproved = await pins.see({ server, fingerprint, definitions, now: at, trustNew });
    for (const pin of unapproved) if (pin.changedAt === at) log(describe(pin));
    return enforces
      ? new Map(unapproved.map((pin) => [pin.tool, toQuarantine(pin, pin.current.definition)]))
      : NO_QUARANTINES;
  };

  const recallOne = async (known: KnownTools, unapproved: readonly StoredPin[]): Promise<Quarantines> => {
    const { tools, isManifest } = known;
    if (!isManifest && known.unapproved === undefined) return await see(known, tools);
    if (isManifest && !trustNew) return new Map(tools.map(({ name }) => [name, NEW]));
    const pinned = new Map(unapproved.filter((pin) => keyOf(pin) === keyOf(known)).map((pin) => [pin.tool, pin]));
    const suspects = new Set([...pinned.keys(), ...(known.unapproved ?? [])]);
    const quarantines = new Map<string, Quarantine>();
    for (const definition of tools.filter(({ name }) => suspects.has(name))) {
      const { server, fingerprint } = known;
      const pin = pinned.get(definition.name) ?? (await pins.find({ server, fingerprint, tool: definition.name }));
      const { tool, hash, definition: text } = toSeen(definition);
      // Compare the definition that callers see, not the latest one, which the server may have sent to another process.
      if (pin?.approved?.hash !== hash) quarantines.set(tool, toQuarantine(pin, text));
    }
    return quarantines;
  };

  return {
    enforces,

    async see(server, tools) {
      if (mode === "off") return NO_QUARANTINES;
      try {
        return await see(server, tools);
      } catch (error) {
        if (enforces) throw error;
        log(`The tool definitions of ${server.server} could not be stored: ${String(error)}`);
        return NO_QUARANTINES;
      }
    },

    async recall(servers) {
      if (!enforces) return servers.map(() => NO_QUARANTINES);
      const [first] = servers;
      const filter = servers.length === 1 && first !== undefined ? { server: first.server } : {};
      try {
        const unapproved = await pins.list({ ...filter, onlyChanged: true });
        return await Promise.all(
          servers.map((known) => recallOne(known, unapproved).catch((error: unknown) => unknown(known, error))),
        );
      } catch (error) {
        return servers.map((known) => unknown(known, error));
      }
    },
  };

  function unknown({ server, tools }: KnownTools, error: unknown): Quarantines {
    const why = `because their pins could not be read: ${String(error)}`;
    if (tools.length > 0) log(`The tools of ${server} are quarantined, ${why}`);
    return quarantineAll(tools);
  }
}

const NEW: Quarantine = { reason: "new", differs: [] };
const UNKNOWN: Quarantine = { reason: "unknown", differs: [] };

/** Returns a quarantine for every tool, for use while the pins cannot be read. */
export function quarantineAll(tools: readonly ToolDefinition[]): Quarantines {
  return new Map(tools.map(({ name }) => [name, UNKNOWN]));
}

function toQuarantine(pin: StoredPin | undefined, current: string): Quarantine {
  if (pin?.approved === undefined) return NEW;
  const [before, after] = [pin.approved.definition, current].map((text) => JSON.parse(text) as JsonObject);
  return { reason: "changed", differs: differingPointers(before ?? {}, after ?? {}) };
}

function toSeen(tool: ToolDefinition): { tool: string; hash: string; definition: string } {
  const definition = canonicalJson(tool);
  return { tool: tool.name, hash: sha256(definition), definition };
}

function keyOf({ server, fingerprint }: ServerKey): string {
  return `${fingerprint} ${server}`;
}

function describe({ server, tool, approved }: StoredPin): string {
  const status = approved === undefined ? "is new and not approved" : "differs from the approved one";
  const command = commandLine(["anygpt", "mcp", "pins", "diff", server, tool]);
  return `The definition of ${toolId(server, tool)} ${status}. Run \`${command}\` to review it.`;
}
