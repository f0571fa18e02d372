// Converts a tool file to its YAML text, without signature lines.
import type { JsonObject } from "../../model/json.js";
import { quotedScalar, toYaml } from "./to-yaml.js";
import type { EnvNeed, ToolFile } from "./tool-file.js";

/** Deterministic. Does not check whether `parseToolFile` would accept the text. */
export function toToolFileText(file: ToolFile): string {
  const { tool, needs } = file;
  return toYaml({
    tool_id: file.toolId,
    version: quotedScalar(file.version),
    tool_type: "mcp_tool",
    executor_id: file.connection.kind === "stdio" ? "mcp_stdio_runtime" : "mcp_http_runtime",
    category: "mcp",
    metadata: metadataOf(file),
    description: tool.description,
    env_requirements: needs.length === 0 ? undefined : needs.map(toRequirement),
    input_schema: tool.inputSchema,
    config: configOf(file),
  });
}

function metadataOf({ server, connection, tool, discoveredAt, risk, definitionHash }: ToolFile): JsonObject {
  return {
    mcp_server: server,
    mcp_url: connection.kind === "stdio" ? undefined : connection.url,
    original_tool_name: tool.name,
    discovered_at: quotedScalar(discoveredAt),
    title: tool.title,
    annotations: tool.annotations,
    output_schema: tool.outputSchema,
    risk,
    definition_hash: quotedScalar(definitionHash),
  };
}

function toRequirement({ name, description, header, required }: EnvNeed): JsonObject {
  return { name, description, header, required };
}

function configOf({ connection, tool, timeoutMs }: ToolFile): JsonObject {
  const call = { tool: tool.name, timeout: timeoutMs / 1000 };
  if (connection.kind === "stdio") {
    const { command, args, env, cwd } = connection;
    return { command, args, env: toQuoted(env), cwd, ...call };
  }
  const { kind, url, headers } = connection;
  return { url, transport: kind === "sse" ? "sse" : undefined, ...call, headers: toQuoted(headers) };
}

function toQuoted(values: Readonly<Record<string, string>>): JsonObject | undefined {
  const entries = Object.entries(values);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, quotedScalar(value)]));
}
