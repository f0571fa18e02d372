// Adds servers and tool rules to the bytes of a configuration file and keeps everything else.
import type { FilterRule } from "../tool-rules.js";
import type { Change } from "./change.js";
import {
  changeMembers,
  type ConfigContent,
  type ConfigView,
  editConfig,
  type EditedConfig,
  type NamedMember,
} from "./edit-config.js";
import { toJsonText } from "./json-value.js";

/** Servers and tool rules to add to the configuration. */
export interface Additions {
  readonly servers: readonly NamedMember[];
  readonly toolRules: readonly FilterRule[];
}

export async function extendConfig(content: ConfigContent, additions: Additions): Promise<EditedConfig> {
  return await editConfig(content, (view) => additionChanges(view, additions));
}

export function additionChanges(view: ConfigView, { servers, toolRules }: Additions): Change[] {
  const rules: Change = {
    container: [...view.path, "toolRules"],
    kind: "list",
    remove: [],
    add: toolRules.map((rule) => ({ key: "", value: { ...rule } })),
  };
  return [changeMembers(view, "servers", { add: servers }), rules].filter(({ add }) => add.length > 0);
}

/** The additions as JSON text, for the user to paste into a configuration that cannot be edited automatically. */
export function toSnippet({ servers, toolRules }: Additions): string {
  const map = Object.fromEntries(servers.map(({ name, entry }) => [name, entry]));
  const value = { servers: map, ...(toolRules.length === 0 ? {} : { toolRules }) };
  return toJsonText(value, { step: "  ", layout: "lines" });
}
