// Replaces servers in the bytes of a client's file by this gateway, or returns the reason why the file cannot be
// changed. Does not access files.
import { pathText, type Path } from "../../util/document/problem.js";
import { isEqualJson } from "../../util/json/is-equal.js";
import type { ClientServer } from "../clients/client.js";
import { CLIENTS } from "../clients/table.js";
import { parseSection } from "../formats/parse.js";
import type { ClientId } from "../options.js";
import type { System } from "../system.js";
import type { Change } from "./change.js";
import { editText, parseWhole } from "./edit-text.js";
import { decodeText, encodeText } from "./encoded-text.js";
import { type ProgramCommand, type Slot, slotOf } from "./slots.js";

export interface RewriteParts {
  readonly client: ClientId;
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The paths of the servers to remove, such as `mcpServers.github`. All other servers are kept. */
  readonly remove: ReadonlySet<string>;
  /** The command with which this client starts the gateway; undefined if the gateway is registered already. */
  readonly gateway?: ProgramCommand;
  readonly system: System;
}

export type Rewritten =
  | {
      readonly kind: "rewritten";
      readonly bytes: Uint8Array;
      /** The name under which the gateway was registered. */
      readonly gateway?: string;
      /** The paths of the changed maps and lists. */
      readonly sections: readonly Path[];
      readonly kept: readonly string[];
    }
  | { readonly kind: "unchanged" }
  /** The gateway cannot be registered in a file of this type. */
  | { readonly kind: "unsuited" }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * The name under which the gateway is registered. If the file has another server with this name, a different one is
 * used.
 */
const GATEWAY = "anygpt";

export async function rewriteClientFile(parts: RewriteParts): Promise<Rewritten> {
  const { client, path, remove, system } = parts;
  const content = decodeText(parts.bytes);
  if (content === undefined) return refuse("is not UTF-8 text");
  const { format } = CLIENTS[client].layoutOf(path).section(system);
  const document = await parseWhole(content.text, format);
  const found = await serversIn(content.text, parts);
  if (document === undefined || found === undefined) return refuse("is not valid; correct it first");
  const slot = slotOf(client, path, document.value);
  if (slot === undefined) return { kind: "unsuited" };
  const gone = found.filter((server) => remove.has(pathText(server.path)));
  const kept = found.filter((server) => !gone.includes(server));
  if (gone.length === 0 && parts.gateway === undefined) return { kind: "unchanged" };
  const name = parts.gateway === undefined ? undefined : freeName(kept.map((server) => server.name));
  const changes = toChanges(gone, { slot, name, program: parts.gateway });
  const result = await editText(content.text, format, changes);
  if (result.kind === "refused") return result;
  const problem = await findProblem(result.text, { parts, kept, name });
  if (problem !== undefined) return refuse(problem);
  return {
    kind: "rewritten",
    bytes: encodeText({ ...content, text: result.text }),
    ...(name === undefined ? {} : { gateway: name }),
    sections: changes.map(({ container }) => container),
    kept: kept.map((server) => server.name),
  };
}

function refuse(reason: string): Rewritten {
  return { kind: "refused", reason };
}

function freeName(taken: readonly string[]): string {
  const names = new Set(taken.map((name) => name.toLowerCase()));
  let name = GATEWAY;
  for (let number = 2; names.has(name); number += 1) name = `${GATEWAY}-${number}`;
  return name;
}

interface Addition {
  readonly slot: Slot;
  readonly name: string | undefined;
  readonly program: ProgramCommand | undefined;
}

/** One change for each map or list from which servers are removed or to which the gateway is added. */
function toChanges(gone: readonly ClientServer[], { slot, name, program }: Addition): Change[] {
  const containers = new Map<string, Change>();
  const add = (container: Path, change: Partial<Change>): void => {
    const key = pathText(container);
    const known = containers.get(key) ?? { container, kind: "map", remove: [], add: [] };
    containers.set(key, { ...known, ...change, remove: [...known.remove, ...(change.remove ?? [])] });
  };
  for (const { path } of gone) {
    const last = path.at(-1) ?? "";
    add(path.slice(0, -1), { kind: typeof last === "number" ? "list" : "map", remove: [last] });
  }
  if (name !== undefined && program !== undefined) {
    add(slot.container, { kind: slot.kind, add: [{ key: name, value: slot.entry(program, name) }] });
  }
  return [...containers.values()];
}

async function serversIn(
  text: string,
  { client, path, system }: RewriteParts,
): Promise<readonly ClientServer[] | undefined> {
  const layout = CLIENTS[client].layoutOf(path);
  const parsed = await parseSection(text, layout.section(system));
  if (parsed.kind === "faults") return undefined;
  const { servers, faults = [] } = layout.read(parsed.document.value, { system, path, companions: [] });
  return faults.length > 0 ? undefined : servers;
}

interface Expected {
  readonly parts: RewriteParts;
  readonly kept: readonly ClientServer[];
  readonly name: string | undefined;
}

/** Parses the new text as the import does, and returns the problem if the result is not as expected. */
async function findProblem(text: string, { parts, kept, name }: Expected): Promise<string | undefined> {
  const after = await serversIn(text, parts);
  const entries = (servers: readonly ClientServer[]): string[] =>
    servers.map((server) => JSON.stringify([server.name, server.entry])).sort();
  const gateway = after?.find((server) => server.name === name && !kept.some((one) => one.name === name));
  const others = after?.filter((server) => server !== gateway) ?? [];
  if (after === undefined || !isEqualJson(entries(others), entries(kept))) {
    return "has a layout that cannot be edited safely";
  }
  if (gateway?.disabled !== undefined) return `would disable the gateway: ${gateway.disabled}`;
  return name !== undefined && gateway === undefined ? "does not contain the gateway after the edit" : undefined;
}
