import type { JsonObject } from "../model/json.js";
import type { FullMode, ListedPage } from "./full-mode.js";
import type { MetaTool } from "./meta-tool.js";

/** What agents are offered: the five tools of a profile, or every tool under a name of its own. */
export interface Offered {
  /** The same bytes in every start, and known before any server is. */
  readonly isFixed: boolean;
  page(cursor?: string): ListedPage;
  find(name: string): MetaTool | undefined;
  /** For an agent that asks for something else. */
  readonly names: readonly string[];
}

export function offerProfile(metaTools: readonly MetaTool[]): Offered {
  const tools = metaTools.map(toListedTool);
  return {
    isFixed: true,
    page: () => ({ tools }),
    find: (name) => metaTools.find((one) => one.name === name),
    names: metaTools.map(({ name }) => name),
  };
}

export function offerAll(fullMode: FullMode): Offered {
  return { isFixed: false, page: fullMode.page, find: fullMode.find, names: [] };
}

/** Undefined where the list changes with the servers. */
export function toFixedList(offered: Offered): ListedPage | undefined {
  return offered.isFixed ? offered.page() : undefined;
}

function toListedTool({ name, description, inputSchema, readOnly }: MetaTool): JsonObject & { readonly name: string } {
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    ...(readOnly ? { annotations: { readOnlyHint: true } } : {}),
  };
}
