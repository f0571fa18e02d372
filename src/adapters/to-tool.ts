import type { RestOperation } from "../model/operation.js";
import type { ToolDefinition } from "../model/tool.js";
import { cutAtWord } from "../util/text.js";
import type { DescribedOperation } from "./described.js";
import { type DocumentConnection, isFilled } from "./document-connection.js";
import { exampleArguments } from "./example.js";
import { flatten, type FlattenParts } from "./flatten.js";
import { factsFor } from "./operation-facts.js";
import { toInputSchema } from "./schema/fit.js";
import { collectDefinitions } from "./schema/self-contained.js";

export interface ToolParts extends FlattenParts {
  readonly name: string;
  readonly connection: DocumentConnection;
}

const IDEMPOTENT = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
const READING = new Set(["GET", "HEAD", "OPTIONS"]);
const LONGEST_TITLE = 120;
const LONGEST_DESCRIPTION = 2_000;
const KEY_HEADER = /^(?:x-)?idempotency-key$/i;

/** One operation of a document as a tool. */
export function toTool(described: DescribedOperation, parts: ToolParts): ToolDefinition {
  const { name, lifting, references } = parts;
  const operation = withoutFilled(withoutKeyHeader(described, parts.connection), parts.connection);
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

function factsOf(described: DescribedOperation, { name, connection }: ToolParts): Partial<RestOperation> {
  const { method, isOpen, isDeprecated, category, errors, documentation } = described;
  const header = keyHeaderOf(described, connection);
  // That a header is declared does not say what the API makes of it: only a person can say that no call counts twice.
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

/** In which idempotency keys travel: the person's word for it, else the document's. */
function keyHeaderOf(
  { method, parameters }: DescribedOperation,
  { idempotencyHeader }: DocumentConnection,
): string | undefined {
  if (READING.has(method)) return undefined;
  if (idempotencyHeader !== undefined) return idempotencyHeader;
  return parameters.find(({ in: place, name }) => place === "header" && KEY_HEADER.test(name))?.name;
}

/** The gateway's own idempotency keys travel in that header; only an API that insists on it gets one as an argument too. */
function withoutKeyHeader(operation: DescribedOperation, connection: DocumentConnection): DescribedOperation {
  const header = keyHeaderOf(operation, connection)?.toLowerCase();
  if (header === undefined) return operation;
  const parameters = operation.parameters.filter(
    ({ in: place, name, isRequired }) => place !== "header" || name.toLowerCase() !== header || isRequired,
  );
  return { ...operation, parameters };
}

function withoutFilled(operation: DescribedOperation, connection: DocumentConnection): DescribedOperation {
  const parameters = operation.parameters.filter(({ in: place, name }) => !isFilled(connection, place, name));
  return { ...operation, parameters };
}

function titleOf({ summary }: DescribedOperation): string | undefined {
  return summary === undefined ? undefined : cutAtWord(summary.replace(/\.$/, ""), LONGEST_TITLE);
}

function descriptionOf(operation: DescribedOperation, { connection: { baseUrl } }: ToolParts): string {
  const { summary, description, method, path, isDeprecated, elsewhere } = operation;
  const isSame = summary !== undefined && description?.startsWith(summary.replace(/\.$/, "")) === true;
  const first = summary === undefined || isSame ? [] : [/[.!?]$/.test(summary) ? summary : `${summary}.`];
  const texts = [...first, ...(description === undefined ? [] : [description])];
  const said = texts.length === 0 ? `${method} ${path}` : texts.join("\n");
  const isElsewhere = elsewhere !== undefined && elsewhere !== baseUrl?.replace(/\/+$/, "");
  const note = isElsewhere
    ? `\nIts document places it at ${elsewhere}, which is not the base address of this adapter.`
    : "";
  return `${isDeprecated ? "Deprecated. " : ""}${cutAtWord(said, LONGEST_DESCRIPTION)}${note}`;
}

/** What a person says of a tool counts before its method. */
function annotationsOf(method: string, { risk, idempotent }: Partial<RestOperation>): Record<string, boolean> {
  const isDestructive = risk === undefined ? method === "DELETE" : risk === "destructive";
  return {
    readOnlyHint: READING.has(method) && (risk ?? "low") === "low",
    ...(isDestructive ? { destructiveHint: true } : {}),
    ...(idempotent === true ? { idempotentHint: true } : {}),
    openWorldHint: true,
  };
}
