// Converts the text of an OpenAPI, Swagger or Postman document to tools. Also lists the operations that were dropped,
// each with the reason. Never reads files or URLs that the document refers to.
import { setImmediate } from "node:timers/promises";
import type { JsonObject } from "../model/json.js";
import type { ToolDefinition } from "../model/tool.js";
import { cutAtWord } from "../util/text.js";
import type { DescribedApi, DescribedOperation, ReadDocument } from "./described.js";
import type { DocumentConnection } from "./document-connection.js";
import { nameOperations } from "./names.js";
import { unmatchedPatterns } from "./operation-facts.js";
import { dialectOf } from "./openapi/dialect.js";
import { DOCUMENT_LIMITS, parseDocument } from "./parse-document.js";
import { isCollection } from "./postman/is-collection.js";
import { createReferences, type References } from "./references.js";
import { attempt, refuseDocument } from "./refuse.js";
import { createLifting } from "./schema/lift.js";
import { toTool } from "./to-tool.js";

export interface ConvertedDocument extends DescribedApi {
  readonly format: string;
  readonly tools: readonly ToolDefinition[];
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  /** Patterns of the configuration option `operations` that match no tool. */
  readonly unmatched: readonly string[];
  /** Whether operations were left out because the document has more of them than the limit. */
  readonly truncated: boolean;
}

/**
 * The maximum size of all tool definitions together, in characters of JSON. The largest known API documents need three
 * million characters.
 */
const MAX_TOTAL_CHARACTERS = 100_000_000;
const TOO_MUCH = "exceeds the limit for the total size of the document's tools";
/**
 * How long, in milliseconds, the conversion may run before it yields to the event loop. It can yield only between two
 * operations.
 */
const TURN_MS = 15;

export async function convertDocument(text: string, connection: DocumentConnection): Promise<ConvertedDocument> {
  const root = parseDocument(text);
  const references = createReferences(root);
  const { format, read } = await readDocument(root, references, connection);
  const dropped: { name: string; reason: string }[] = [];
  const operations: DescribedOperation[] = [];
  const turns = createTurns();
  let truncated = false;
  for (const one of read.operations) {
    if (operations.length + dropped.length >= DOCUMENT_LIMITS.operations) {
      truncated = true;
      break;
    }
    if (one.kind === "operation") operations.push(one.operation);
    else dropped.push({ name: shown(one.name), reason: one.reason });
    await turns.pause();
  }
  const names = nameOperations(operations);
  const lifting = createLifting(references);
  const tools: ToolDefinition[] = [];
  let size = 0;
  for (const operation of operations) {
    const name = names.get(operation) ?? "";
    const made = attempt(() => ({ tool: toTool(operation, { name, references, lifting, connection }) }));
    size += "tool" in made ? JSON.stringify(made.tool).length : 0;
    if ("refusal" in made) dropped.push({ name: shown(operation.key), reason: made.refusal });
    else if (size > MAX_TOTAL_CHARACTERS) dropped.push({ name: shown(operation.key), reason: TOO_MUCH });
    else tools.push(made.tool);
    await turns.pause();
  }
  const unmatched = unmatchedPatterns(
    tools.map(({ name }) => name),
    connection.operations,
  );
  return { ...read.api, format, tools, dropped, unmatched, truncated };
}

async function readDocument(
  root: JsonObject,
  references: References,
  { document, baseUrl }: DocumentConnection,
): Promise<{ readonly format: string; readonly read: ReadDocument }> {
  const dialect = dialectOf(root);
  if (dialect !== undefined) {
    const { readOpenApi } = await import("./openapi/read-openapi.js");
    const name = dialect === "2.0" ? "Swagger" : "OpenAPI";
    return { format: `${name} ${dialect}`, read: readOpenApi({ root, dialect, references, document }) };
  }
  if (isCollection(root)) {
    const { readCollection } = await import("./postman/read-collection.js");
    return { format: "Postman collection", read: readCollection(root, baseUrl) };
  }
  throw refuseDocument(
    "The document is neither OpenAPI 3, Swagger 2.0 nor a Postman collection 2.1.",
    "Give the URL or file of the OpenAPI document or Postman collection, not of a web page about the API.",
  );
}

/**
 * Returns a function to call between two operations. It yields to the event loop if the last pause was at least
 * `TURN_MS` ago.
 */
function createTurns(): { readonly pause: () => Promise<void> | undefined } {
  let since = performance.now();
  return {
    pause() {
      if (performance.now() - since < TURN_MS) return undefined;
      return setImmediate().then(() => {
        since = performance.now();
      });
    },
  };
}

function shown(name: string): string {
  return cutAtWord(name, 200);
}
