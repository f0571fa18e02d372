import { isJsonObject } from "../../model/json.js";
import { describeInFile, pathText, type Path, type Position } from "../../util/document/problem.js";
import { checkSchema, type Checked } from "../../util/document/schema.js";
import { parseYaml } from "../../util/document/yaml.js";
import { findContradictions } from "./contradictions.js";
import { type HttpContent, httpFile, type StdioContent, stdioFile } from "./file-schema.js";
import { findSyntaxFaults, decodeToolFileBody } from "./syntax.js";
import { definitionHash, type FileConnection, type ToolFile } from "./tool-file.js";

export type ParsedToolFile =
  | { readonly kind: "ok"; readonly file: ToolFile }
  /** All reasons why the file is invalid, each as `line:column: path: reason` if the position is known. */
  | { readonly kind: "wrong"; readonly reasons: readonly string[] };

interface Reason {
  readonly path: Path;
  readonly reason: string;
  readonly position?: Position | undefined;
}

/**
 * Parses the body of a tool file strictly. Returns the file, or all problems. `name` is the file name, with or without
 * `.yaml`; `firstLine` is the line of the file at which the body starts.
 */
export function parseToolFile(body: string | Uint8Array, name: string, firstLine = 1): ParsedToolFile {
  const text = decodeToolFileBody(body);
  if (text.kind === "wrong") return { kind: "wrong", reasons: [text.reason] };
  const faults = findSyntaxFaults(text.text);
  const parsed = parseYaml(text.text);
  if (parsed.kind === "faults") return wrong([...faults, ...parsed.faults], firstLine);
  const { value, positionOf } = parsed.document;
  const checked = checkContent(value);
  const violations = [
    ...(checked.kind === "violations" ? checked.violations : []),
    ...findContradictions(value, name.replace(/\.yaml$/, "")),
  ];
  const reasons = [
    ...faults,
    ...violations.map((violation) => ({ ...violation, position: positionOf(violation.path) })),
  ];
  if (reasons.length > 0 || checked.kind === "violations") return wrong(reasons, firstLine);
  return { kind: "ok", file: toFile(checked.value) };
}

function checkContent(value: unknown): Checked<HttpContent | StdioContent> {
  return isStdio(value) ? checkSchema(stdioFile, value) : checkSchema(httpFile, value);
}

function isStdio(value: unknown): boolean {
  const { executor_id: executor, config } = isJsonObject(value) ? value : {};
  if (executor === "mcp_http_runtime") return false;
  return executor === "mcp_stdio_runtime" || (isJsonObject(config) && Object.hasOwn(config, "command"));
}

function wrong(reasons: readonly Reason[], firstLine: number): ParsedToolFile {
  const sorted = [...reasons].sort((one, other) => lineOf(one) - lineOf(other));
  const described = sorted.map(({ path, reason, position }) =>
    describeInFile({
      file: "",
      path: pathText(path),
      ...(position === undefined ? {} : { line: position.line + firstLine - 1, column: position.column }),
      reason,
    }),
  );
  return { kind: "wrong", reasons: [...new Set(described)] };
}

function lineOf({ position }: Reason): number {
  return position?.line ?? 0;
}

function toFile(content: HttpContent | StdioContent): ToolFile {
  const { metadata, description } = content;
  const tool = {
    name: metadata.original_tool_name,
    ...(metadata.title === undefined ? {} : { title: metadata.title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: content.input_schema,
    ...(metadata.output_schema === undefined ? {} : { outputSchema: metadata.output_schema }),
    ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
  };
  return {
    toolId: content.tool_id,
    version: content.version,
    server: metadata.mcp_server,
    tool,
    discoveredAt: metadata.discovered_at,
    // A file that another program wrote may have no hash; its definition then counts as the server's.
    definitionHash: metadata.definition_hash ?? definitionHash(tool),
    ...(metadata.risk === undefined ? {} : { risk: metadata.risk }),
    needs: content.env_requirements.map(toNeed),
    connection: toConnection(content),
    timeoutMs: Math.round(content.config.timeout * 1000),
  };
}

function toNeed(need: (HttpContent | StdioContent)["env_requirements"][number]): ToolFile["needs"][number] {
  const { name, description, required } = need;
  const header = "header" in need ? need.header : undefined;
  return { name, description, ...(header === undefined ? {} : { header }), required };
}

function toConnection(content: HttpContent | StdioContent): FileConnection {
  if (content.executor_id === "mcp_stdio_runtime") {
    const { command, args, env, cwd } = content.config;
    return { kind: "stdio", command, args, env, ...(cwd === undefined ? {} : { cwd }) };
  }
  const { url, headers, transport } = content.config;
  return { kind: transport ?? "http", url, headers };
}
