import type { JsonObject } from "../model/json.js";
import type { DescribeStep } from "../model/next-steps.js";
import type { FullMode, ListedPage } from "./full-mode.js";
import type { MetaTool } from "./meta-tool.js";
import { describeFullModeStep } from "./next-steps.js";

/** The tools that clients see: the five meta-tools of a profile or, in full mode, the tools of all servers. */
export interface Offered {
  /** Whether the list of tools never changes and does not depend on the servers. */
  readonly isFixed: boolean;
  page(cursor?: string): ListedPage;
  find(name: string): MetaTool | undefined;
  /** The names of the meta-tools; empty in full mode. The error of a call with an unknown tool name lists them. */
  readonly names: readonly string[];
  /** Renders next steps as calls of the tools that clients see. */
  readonly describeStep: DescribeStep;
}

export function offerProfile(metaTools: readonly MetaTool[], describeStep: DescribeStep): Offered {
  const tools = metaTools.map(toListedTool);
  return {
    isFixed: true,
    page: () => ({ tools }),
    find: (name) => metaTools.find((one) => one.name === name),
    names: metaTools.map(({ name }) => name),
    describeStep,
  };
}

export function offerAll(fullMode: FullMode): Offered {
  return { isFixed: false, page: fullMode.page, find: fullMode.find, names: [], describeStep: describeFullModeStep };
}

/** Returns the list of tools if it never changes; undefined if it depends on the servers. */
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
