// Comes in: the bytes of a client's file and which of its servers go; goes out: the bytes of the same file with this gateway in
// their place, or why it was left alone. Refuses to touch a disk.
import { isDeepStrictEqual } from "node:util";
import { pathText, type Path } from "../../util/document/problem.js";
import type { FoundServer } from "../clients/client.js";
import { CLIENTS } from "../clients/table.js";
import { parseSection } from "../formats/parse.js";
import type { ClientId } from "../options.js";
import type { System } from "../system.js";
import type { Change } from "./change.js";
import { editText, readAll } from "./edit-text.js";
import { decodeText, encodeText } from "./encoded-text.js";
import { type Program, type Slot, slotOf } from "./slots.js";

export interface RewriteParts {
  readonly client: ClientId;
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The servers that go, by where they stand: `mcpServers.github`. All others stay. */
  readonly remove: ReadonlySet<string>;
  /** How this client starts the gateway; undefined where one is registered already. */
  readonly gateway?: Program;
  readonly system: System;
}

export type Rewritten =
  | {
      readonly kind: "rewritten";
      readonly bytes: Uint8Array;
      /** The name that the gateway got. */
      readonly gateway?: string;
      /** The maps and lists that were changed. */
      readonly sections: readonly Path[];
      readonly kept: readonly string[];
    }
  | { readonly kind: "unchanged" }
  /** The gateway cannot be registered in such a file at all. */
  | { readonly kind: "unsuited" }
  | { readonly kind: "refused"; readonly reason: string };

/** The name under which the gateway is registered, unless the file has another server of that name. */
const GATEWAY = "anygpt";

export async function rewriteClientFile(parts: RewriteParts): Promise<Rewritten> {
  const { client, path, remove, system } = parts;
  const content = decodeText(parts.bytes);
  if (content === undefined) return refuse("is not UTF-8 text");
  const { format } = CLIENTS[client].layoutOf(path).section(system);
  const document = await readAll(content.text, format);
  const found = await serversIn(content.text, parts);
  if (document === undefined || found === undefined) return refuse("could not be read as a whole; correct it first");
  const slot = slotOf(client, path, document.value);
  if (slot === undefined) return { kind: "unsuited" };
  const gone = found.filter((server) => remove.has(pathText(server.path)));
  const kept = found.filter((server) => !gone.includes(server));
  if (gone.length === 0 && parts.gateway === undefined) return { kind: "unchanged" };
  const name = parts.gateway === undefined ? undefined : freeName(kept.map((server) => server.name));
  const changes = toChanges(gone, { slot, name, program: parts.gateway });
  const result = await editText(content.text, format, changes);
  if (result.kind === "refused") return result;
  const wrong = await findWrong(result.text, { parts, kept, name });
  if (wrong !== undefined) return refuse(wrong);
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
  readonly program: Program | undefined;
}

/** One change for each map or list that loses servers or gets the gateway. */
function toChanges(gone: readonly FoundServer[], { slot, name, program }: Addition): Change[] {
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
): Promise<readonly FoundServer[] | undefined> {
  const layout = CLIENTS[client].layoutOf(path);
  const parsed = await parseSection(text, layout.section(system));
  if (parsed.kind === "faults") return undefined;
  const { servers, faults = [] } = layout.read(parsed.document.value, { system, path, companions: [] });
  return faults.length > 0 ? undefined : servers;
}

interface Expected {
  readonly parts: RewriteParts;
  readonly kept: readonly FoundServer[];
  readonly name: string | undefined;
}

/** Reads the new text as the import itself would, and says what is not as it should be. */
async function findWrong(text: string, { parts, kept, name }: Expected): Promise<string | undefined> {
  const after = await serversIn(text, parts);
  const entries = (servers: readonly FoundServer[]): string[] =>
    servers.map((server) => JSON.stringify([server.name, server.entry])).sort();
  const gateway = after?.find((server) => server.name === name && !kept.some((one) => one.name === name));
  const others = after?.filter((server) => server !== gateway) ?? [];
  if (after === undefined || !isDeepStrictEqual(entries(others), entries(kept))) {
    return "is laid out in a way that cannot be edited safely";
  }
  if (gateway?.disabled !== undefined) return `would not use the gateway there: ${gateway.disabled}`;
  return name !== undefined && gateway === undefined ? "could not take the gateway" : undefined;
}
