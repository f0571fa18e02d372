import type { CatalogServer } from "../catalog/snapshot.js";
import { isJsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import type { SearchDocument } from "../search/fields.js";

/** Returns the fields of a tool that the search index contains. */
export function toSearchDocument(tool: Tool, server: CatalogServer | undefined): SearchDocument {
  const { title, description, inputSchema } = tool.definition;
  const serverDescription = server?.definition.description ?? server?.record?.title;
  return {
    id: tool.id,
    server: tool.server,
    name: tool.name,
    description: description ?? "",
    parameters: toParameterTexts(inputSchema["properties"]),
    tags: tool.tags,
    ...(title === undefined ? {} : { title }),
    ...(serverDescription === undefined ? {} : { serverDescription }),
  };
}

function toParameterTexts(properties: unknown): SearchDocument["parameters"] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, schema]) => {
    if (!isJsonObject(schema)) return { name, description: "" };
    const { description, enum: direct, items } = schema;
    const values = direct ?? (isJsonObject(items) ? items["enum"] : undefined);
    return {
      name,
      description: typeof description === "string" ? description : "",
      ...(Array.isArray(values) ? { values: values.filter((value) => typeof value === "string") } : {}),
    };
  });
}
