import type { RestOperation } from "../model/operation.js";
import type { ToolDefinition } from "../model/tool.js";
import { cutAtWord } from "../util/text.js";
import type { DescribedOperation } from "./described.js";
import { type DocumentConnection, isConfigured } from "./document-connection.js";
import { exampleArguments } from "./example.js";
import { flatten, type FlattenParts } from "./flatten.js";
import { factsFor } from "./operation-facts.js";
import { toInputSchema } from "./schema/fit.js";
import { collectDefinitions } from "./schema/self-contained.js";

export interface ToToolParts extends FlattenParts {
  readonly name: string;
  readonly connection: DocumentConnection;
}

const IDEMPOTENT = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
const READ_ONLY_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const MAX_TITLE_LENGTH = 120;
const MAX_DESCRIPTION_LENGTH = 2_000;
const KEY_HEADER = /^(?:x-)?idempotency-key$/i;

/** Converts one operation of an API document to a tool. */
export function toTool(described: DescribedOperation, parts: ToToolParts): ToolDefinition {
  const { name, lifting, references } = parts;
  const operation = withoutConfigured(withoutKeyHeader(described, parts.connection), parts.connection);
  const flattened = flatten(operation, parts);
  const inputSchema = toInputSchema(flattened.arguments, collectDefinitions(flattened.needs, lifting));
  const example = exampleArguments(operation, flattened, references);
  const title = titleOf(described);
  const { parameters, body } = flattened;
  const facts = factsOf(described, parts);
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description: descriptionOf(described, parts),
    inputSchema,
    annotations: annotationsOf(described.method, facts),
    operation: {
      method: described.method,
      path: described.path,
      parameters,
      ...(body === undefined ? {} : { body }),
      ...facts,
      ...(example === undefined ? {} : { example }),
    },
  };
}

function factsOf(described: DescribedOperation, { name, connection }: ToToolParts): Partial<RestOperation> {
  const { method, isOpen, isDeprecated, category, errors, documentation } = described;
  const header = keyHeaderOf(described, connection);
  // Whether the API document declares the idempotency header and the configuration does not. The document does not
  // prove that the API honors the header: only the configuration can state that a repeated call has no effect.
  const isOnlyDeclared = header !== undefined && connection.idempotencyHeader === undefined;
  return {
    ...(isOpen ? { isOpen: true } : {}),
    ...(header === undefined ? {} : { idempotencyHeader: header }),
    ...(IDEMPOTENT.has(method) ? { idempotent: true } : isOnlyDeclared ? { idempotent: false } : {}),
    ...(category === undefined ? {} : { category }),
    ...(isDeprecated ? { deprecated: true } : {}),
    ...(Object.keys(errors).length === 0 ? {} : { errors }),
    ...(documentation === undefined ? {} : { documentation }),
    ...factsFor(name, connection.operations),
  };
}

/** The name of the header for idempotency keys: from the configuration, otherwise from the API document. */
function keyHeaderOf(
  { method, parameters }: DescribedOperation,
  { idempotencyHeader }: DocumentConnection,
): string | undefined {
  if (READ_ONLY_METHODS.has(method)) return undefined;
  if (idempotencyHeader !== undefined) return idempotencyHeader;
  return parameters.find(({ in: location, name }) => location === "header" && KEY_HEADER.test(name))?.name;
}

/**
 * Removes the idempotency header from the arguments, because the gateway sends its own idempotency keys in it. If the
 * API requires the header, it remains an argument.
 */
function withoutKeyHeader(operation: DescribedOperation, connection: DocumentConnection): DescribedOperation {
  const header = keyHeaderOf(operation, connection)?.toLowerCase();
  if (header === undefined) return operation;
  const parameters = operation.parameters.filter(
    ({ in: location, name, isRequired }) => location !== "header" || name.toLowerCase() !== header || isRequired,
  );
  return { ...operation, parameters };
}

function withoutConfigured(operation: DescribedOperation, connection: DocumentConnection): DescribedOperation {
  const parameters = operation.parameters.filter(({ in: location, name }) => !isConfigured(connection, location, name));
  return { ...operation, parameters };
}

function titleOf({ summary }: DescribedOperation): string | undefined {
  return summary === undefined ? undefined : cutAtWord(summary.replace(/\.$/, ""), MAX_TITLE_LENGTH);
}

function descriptionOf(operation: DescribedOperation, { connection: { baseUrl } }: ToToolParts): string {
  const { summary, description, method, path, isDeprecated, serverUrl } = operation;
  const isSame = summary !== undefined && description?.startsWith(summary.replace(/\.$/, "")) === true;
  const first = summary === undefined || isSame ? [] : [/[.!?]$/.test(summary) ? summary : `${summary}.`];
  const texts = [...first, ...(description === undefined ? [] : [description])];
  const text = texts.length === 0 ? `${method} ${path}` : texts.join("\n");
  const isOtherServer = serverUrl !== undefined && serverUrl !== baseUrl?.replace(/\/+$/, "");
  const note = isOtherServer
    ? `\nThe API document declares the URL ${serverUrl} for this operation, but the adapter sends it to its own base URL.`
    : "";
  return `${isDeprecated ? "Deprecated. " : ""}${cutAtWord(text, MAX_DESCRIPTION_LENGTH)}${note}`;
}

/** The MCP annotations of a tool. Facts from the configuration take precedence over the HTTP method. */
function annotationsOf(method: string, { risk, idempotent }: Partial<RestOperation>): Record<string, boolean> {
  const isDestructive = risk === undefined ? method === "DELETE" : risk === "destructive";
  return {
    readOnlyHint: READ_ONLY_METHODS.has(method) && (risk ?? "low") === "low",
    ...(isDestructive ? { destructiveHint: true } : {}),
    ...(idempotent === true ? { idempotentHint: true } : {}),
    openWorldHint: true,
  };
}
