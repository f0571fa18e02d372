// Comes in: the bytes of our own configuration, if there is one, and servers with rules for it; goes out: its bytes with these
// added and nothing else changed. Refuses to know where they came from.
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
import { writeJson } from "./json-value.js";

/** What comes into the configuration. */
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

/** What a person can put into a configuration that only they can edit. */
export function toSnippet({ servers, toolRules }: Additions): string {
  const map = Object.fromEntries(servers.map(({ name, entry }) => [name, entry]));
  const value = { servers: map, ...(toolRules.length === 0 ? {} : { toolRules }) };
  return writeJson(value, { step: "  ", layout: "lines" });
}
