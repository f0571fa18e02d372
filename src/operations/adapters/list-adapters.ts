import type { DiscoveryEngine } from "../../engine.js";
import { openCatalog } from "../open-catalog.js";
import { adaptersOf } from "./find-adapter.js";
import { neededVariables } from "./inspect-adapter.js";

/** An adapter, with the facts that are known without reading its document. */
export interface ListedAdapter {
  readonly name: string;
  readonly title: string | null;
  readonly document: string;
  readonly baseUrl: string | null;
  readonly auth: string | null;
  readonly missingVariables: readonly string[];
  /** The number of tools. Null if the API document has not been read yet. */
  readonly tools: number | null;
  readonly dropped: number;
  readonly failure: string | null;
}

/** Lists the adapters of the configuration. Does not read their API documents. */
export async function listAdapters(engine: DiscoveryEngine): Promise<ListedAdapter[]> {
  const stages = await openCatalog(engine);
  const { servers } = stages.snapshot();
  return adaptersOf(stages).map((adapter) => {
    const { name, connection, facts } = adapter;
    const known = servers.get(name);
    const missing = neededVariables(adapter, stages.variables).filter(({ status }) => status === "missing");
    return {
      name,
      title: facts?.title ?? known?.record?.title ?? null,
      document: connection.document,
      baseUrl: connection.baseUrl ?? null,
      auth: connection.auth?.kind ?? null,
      missingVariables: missing.map((variable) => variable.name),
      tools: known?.record === undefined ? null : known.tools.length,
      dropped: known?.record?.dropped.length ?? 0,
      failure: known?.failure?.message ?? null,
    };
  });
}
