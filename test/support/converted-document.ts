import { expect } from "vitest";
import { type ConvertedDocument, convertDocument } from "../../src/adapters/convert-document.js";
import type { DocumentConnection } from "../../src/adapters/document-connection.js";
import type { JsonObject } from "../../src/model/json.js";
import type { RestOperation } from "../../src/model/operation.js";
import type { ToolDefinition } from "../../src/model/tool.js";

export const CONNECTION: DocumentConnection = { document: "/api.json", operations: [] };

export function convert(document: unknown, connection: Partial<DocumentConnection> = {}): Promise<ConvertedDocument> {
  return convertDocument(JSON.stringify(document), { ...CONNECTION, ...connection });
}

export function openApi(paths: JsonObject, rest: JsonObject = {}): JsonObject {
  return { openapi: "3.0.3", info: { title: "Shop", version: "1" }, paths, ...rest };
}

/** The tool of a document that has one operation. */
export async function toolOf(paths: JsonObject, rest: JsonObject = {}): Promise<ToolDefinition> {
  const { tools, dropped } = await convert(openApi(paths, rest));
  expect(dropped).toEqual([]);
  expect(tools).toHaveLength(1);
  return tools[0]!;
}

export const operationOf = (tool: ToolDefinition): RestOperation => tool.operation!;
export const propertiesOf = (tool: ToolDefinition): Record<string, JsonObject> =>
  tool.inputSchema["properties"] as Record<string, JsonObject>;
