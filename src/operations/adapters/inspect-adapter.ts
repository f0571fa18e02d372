import type { ConvertedDocument } from "../../adapters/convert-document.js";
import type { WantedAuth } from "../../adapters/described.js";
import { type Variables, variablesIn } from "../../config/variables.js";
import type { ToolDefinition } from "../../model/tool.js";
import type { DiscoveryEngine } from "../../engine.js";
import { type Adapter, findAdapter, toReadable } from "./find-adapter.js";
import { readAdapter } from "./read-adapter.js";

/** An adapter with the operations of its API document. Contains the names of variables, not their values. */
export interface AdapterPage {
  readonly name: string;
  readonly title: string | null;
  readonly version: string | null;
  readonly format: string;
  readonly document: string;
  readonly baseUrl: string | null;
  readonly auth: {
    readonly configured: string | null;
    /** The authentication methods that the document declares. */
    readonly wanted: readonly WantedAuth[];
    readonly variables: readonly AdapterVariable[];
  };
  readonly operations: number;
  readonly categories: readonly Category[];
  /** Operations that cannot be used as tools, with the reason. */
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  /** Patterns in the adapter's setting `operations` that match no tool. */
  readonly unmatched: readonly string[];
  readonly truncated: boolean;
}

/** A variable that an adapter needs, and whether it is set. */
export interface AdapterVariable {
  readonly name: string;
  readonly status: "set" | "default" | "missing";
}

/** The operations of one category. */
export interface Category {
  /** The name of the category. Null for operations without a category. */
  readonly name: string | null;
  readonly operations: readonly ListedOperation[];
}

/** One operation of an adapter. */
export interface ListedOperation {
  readonly tool: string;
  readonly method: string;
  readonly path: string;
  readonly title: string | null;
  readonly risk: string | null;
  readonly deprecated: boolean;
  /** True if the input schema was shortened because it is too large. */
  readonly shortened: boolean;
}

/** Reads the adapter's API document and returns its operations. */
export async function inspectAdapter(
  engine: DiscoveryEngine,
  name: string,
  { signal, onRead }: InspectOptions = {},
): Promise<AdapterPage> {
  const stages = await engine.stages();
  const { variables, runtime } = stages;
  const adapter = findAdapter(name, stages);
  onRead?.(adapter.connection.document);
  const connection = toReadable(adapter.connection, (text) => variables.resolve(text));
  return toAdapterPage(adapter, await readAdapter(name, connection, { env: runtime.env, signal }), variables);
}

/** Options of `inspectAdapter`. */
export interface InspectOptions {
  readonly signal?: AbortSignal;
  /** Called with the path or URL of the API document before it is read. */
  readonly onRead?: (document: string) => void;
}

function toAdapterPage(
  { name, connection, facts }: Adapter,
  document: ConvertedDocument,
  variables: Pick<Variables, "originOf">,
): AdapterPage {
  return {
    name,
    title: facts?.title ?? document.title ?? null,
    version: document.version ?? null,
    format: document.format,
    document: connection.document,
    baseUrl: connection.baseUrl ?? document.baseUrl ?? null,
    auth: {
      configured: connection.auth?.kind ?? null,
      wanted: document.auth,
      variables: neededVariables({ connection }, variables),
    },
    operations: document.tools.length,
    categories: toCategories(document.tools),
    dropped: document.dropped,
    unmatched: document.unmatched,
    truncated: document.truncated,
  };
}

export function neededVariables(
  { connection }: Pick<Adapter, "connection">,
  variables: Pick<Variables, "originOf">,
): AdapterVariable[] {
  return variablesIn(connection).map(({ name, hasDefault }) => {
    const { kind } = variables.originOf(name);
    const isSet = kind === "process" || kind === "file";
    return { name, status: isSet ? "set" : hasDefault ? "default" : "missing" };
  });
}

function toCategories(tools: readonly ToolDefinition[]): Category[] {
  const byName = new Map<string | null, ListedOperation[]>();
  for (const { name, title, inputSchema, operation } of tools) {
    if (operation === undefined) continue;
    const category = operation.category ?? null;
    const listed: ListedOperation = {
      tool: name,
      method: operation.method,
      path: operation.path,
      title: title ?? null,
      risk: operation.risk ?? null,
      deprecated: operation.deprecated === true,
      shortened: inputSchema["$comment"] !== undefined,
    };
    const others = byName.get(category);
    if (others === undefined) byName.set(category, [listed]);
    else others.push(listed);
  }
  return [...byName].map(([name, operations]) => ({ name, operations }));
}
