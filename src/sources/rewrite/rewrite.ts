// Replaces servers in the bytes of a client's file by this gateway, or returns the reason why the file cannot be
// changed. Does not access files.
import { pathText, type Path } from "../../util/document/problem.js";
import { isEqualJson } from "../../util/json/is-equal.js";
import type { ClientServer } from "../clients/client.js";
import { CLIENTS } from "../clients/table.js";
import { type FileFormat, parseSection } from "../formats/parse.js";
import type { ClientId } from "../options.js";
import type { System } from "../system.js";
import { type Change, refused, type TextEdit } from "./change.js";
import { editText, parseWhole } from "./edit-text.js";
import { decodeText, encodeText } from "./encoded-text.js";
import { type ProgramCommand, type Slot, slotOf } from "./slots.js";
import { loadingMembers, missingMembers } from "./tool-loading.js";

export interface RewriteParts {
  readonly client: ClientId;
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The paths of the servers to remove, such as `mcpServers.github`. All other servers are kept. */
  readonly remove: ReadonlySet<string>;
  /** The command with which this client starts the gateway; undefined if the gateway is registered already. */
  readonly gateway?: ProgramCommand;
  /** The paths of the entries that start the gateway already. They get the members of `loadsTools` that they lack. */
  readonly registered?: ReadonlySet<string>;
  /**
   * Whether the entry asks the client to load all tools of the gateway at once. Right for five tools, wrong for the
   * hundreds of tools in full mode.
   */
  readonly loadsTools?: boolean;
  readonly system: System;
}

export type Rewritten =
  | {
      readonly kind: "rewritten";
      readonly bytes: Uint8Array;
      /** The name under which the gateway was registered. */
      readonly gateway?: string;
      /** Existing entries of the gateway that were changed, with the keys that were added. */
      readonly completed: readonly { readonly name: string; readonly keys: readonly string[] }[];
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
  const name = parts.gateway === undefined ? undefined : freeName(kept.map((server) => server.name));
  const changes = toChanges(gone, { parts, slot, name });
  const additions = toCompletions(kept, parts, document.value);
  if (changes.length === 0 && additions.length === 0) return { kind: "unchanged" };
  const edit = { parts, kept, name, text: content.text, format };
  // An entry whose layout cannot be edited must not prevent the other changes.
  const complete = additions.length === 0 ? undefined : await apply([...changes, ...additions], edit);
  const isComplete = complete?.kind === "edited";
  if (!isComplete && changes.length === 0) return { kind: "unchanged" };
  const result = isComplete ? complete : await apply(changes, edit);
  if (result.kind === "refused") return result;
  const applied = isComplete ? [...changes, ...additions] : changes;
  return {
    kind: "rewritten",
    bytes: encodeText({ ...content, text: result.text }),
    ...(name === undefined ? {} : { gateway: name }),
    completed: isComplete ? additions.map(toCompletion) : [],
    sections: outermost(applied.map(({ container }) => container)),
    kept: kept.map((server) => server.name),
  };
}

interface Edit extends Expected {
  readonly text: string;
  readonly format: FileFormat;
}

/** Edits the text, and refuses an edit whose result is not as expected. */
async function apply(changes: readonly Change[], { text, format, ...expected }: Edit): Promise<TextEdit> {
  const result = await editText(text, format, changes);
  if (result.kind === "refused") return result;
  const problem = await findProblem(result.text, expected);
  return problem === undefined ? result : refused(problem);
}

/** The changes that add the missing members to existing entries of the gateway. */
function toCompletions(kept: readonly ClientServer[], parts: RewriteParts, document: unknown): Change[] {
  if (parts.loadsTools !== true) return [];
  const entries = kept.filter(({ path }) => parts.registered?.has(pathText(path)) === true);
  return entries.flatMap(({ path }): Change[] => {
    const add = Object.entries(missingMembers(parts.client, path, document)).map(([key, value]) => ({ key, value }));
    return add.length === 0 ? [] : [{ container: path, kind: "map", remove: [], add }];
  });
}

function toCompletion({ container, add }: Change): { readonly name: string; readonly keys: readonly string[] } {
  return { name: String(container.at(-1)), keys: add.map(({ key }) => key) };
}

/** Drops paths inside other paths: to restore the outer section also restores the inner one. */
function outermost(paths: readonly Path[]): Path[] {
  return paths.filter(
    (path) => !paths.some((other) => other.length < path.length && other.every((part, index) => part === path[index])),
  );
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
  readonly parts: RewriteParts;
  readonly slot: Slot;
  readonly name: string | undefined;
}

/** One change for each map or list from which servers are removed or to which the gateway is added. */
function toChanges(gone: readonly ClientServer[], { parts, slot, name }: Addition): Change[] {
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
  const { client, gateway, loadsTools } = parts;
  if (name !== undefined && gateway !== undefined) {
    const loading = loadsTools === true ? loadingMembers(client, slot.container) : {};
    const value = { ...slot.entry(gateway, name), ...loading };
    add(slot.container, { kind: slot.kind, add: [{ key: name, value }] });
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
