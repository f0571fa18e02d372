import type { ConvertedDocument } from "../../../adapters/convert-document.js";
import type { WantedAuth } from "../../../adapters/described.js";
import { type Variables, variablesIn } from "../../../config/variables.js";
import type { ToolDefinition } from "../../../model/tool.js";
import type { Adapter } from "./find-adapter.js";

/** All that there is to say of an adapter. Of variables only names. */
export interface AdapterPage {
  readonly name: string;
  readonly title: string | null;
  readonly version: string | null;
  readonly format: string;
  readonly document: string;
  readonly baseUrl: string | null;
  readonly auth: {
    readonly configured: string | null;
    /** What the document asks for. */
    readonly wanted: readonly WantedAuth[];
    readonly variables: readonly NeededVariable[];
  };
  readonly operations: number;
  readonly categories: readonly Category[];
  readonly dropped: ConvertedDocument["dropped"];
  /** Patterns under `operations` that are about no tool. */
  readonly unmatched: readonly string[];
  readonly truncated: boolean;
}

export interface NeededVariable {
  readonly name: string;
  readonly status: "set" | "default" | "missing";
}

export interface Category {
  /** Null for operations without one. */
  readonly name: string | null;
  readonly operations: readonly ListedOperation[];
}

export interface ListedOperation {
  readonly tool: string;
  readonly method: string;
  readonly path: string;
  readonly title: string | null;
  readonly risk: string | null;
  readonly deprecated: boolean;
  /** Its schema was shortened. */
  readonly shortened: boolean;
}

export function toAdapterPage(
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
): NeededVariable[] {
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
