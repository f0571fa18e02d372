import type { CatalogServer } from "../catalog/snapshot.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import type { SearchDocument } from "../search/fields.js";

/** Returns the fields of a tool that the search index contains. */
export function toSearchDocument(tool: Tool, server: CatalogServer | undefined): SearchDocument {
  const { title, description, inputSchema, annotations } = tool.definition;
  const serverDescription = server?.definition.description ?? server?.record?.title;
  return {
    id: tool.id,
    server: tool.server,
    name: tool.name,
    description: description ?? "",
    parameters: toParameterTexts(inputSchema),
    tags: tool.tags,
    ...(title === undefined ? {} : { title }),
    ...(serverDescription === undefined ? {} : { serverDescription }),
    ...(tool.operation === undefined ? {} : { method: tool.operation.method, path: tool.operation.path }),
    ...(annotations?.["readOnlyHint"] === true ? { isReadOnly: true } : {}),
  };
}

function toParameterTexts({ properties, required }: JsonObject): SearchDocument["parameters"] {
  if (!isJsonObject(properties)) return [];
  const isRequired = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, schema]) => {
    const needed = isRequired.has(name) ? { isRequired: true } : {};
    if (!isJsonObject(schema)) return { name, description: "", ...needed };
    const { description, enum: direct, items } = schema;
    const values = direct ?? (isJsonObject(items) ? items["enum"] : undefined);
    return {
      name,
      description: typeof description === "string" ? description : "",
      ...needed,
      ...(Array.isArray(values) ? { values: values.filter((value) => typeof value === "string") } : {}),
    };
  });
}
