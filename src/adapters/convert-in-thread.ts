import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { builtFile } from "../util/built-file.js";
import { type ConvertedDocument, convertDocument } from "./convert-document.js";
import { type DocumentConnection, withoutSecrets } from "./document-connection.js";
import type { DocumentReply, DocumentRequest } from "./document-worker.js";
import { refuseDocument } from "./refuse.js";

/**
 * The longest local document, in characters, that is converted on the main thread. Converting it takes a few
 * milliseconds.
 */
const MAX_INLINE_LENGTH = 100_000;
const TIMEOUT_MS = 60_000;
const MAX_MEMORY_MB = 2_048;

/**
 * Like `convertDocument`, but in a worker thread if the document is large (reading 4 MB of YAML takes more than a
 * second) or comes from the web (it may be hostile).
 */
export async function convertInThread(
  text: string,
  connection: DocumentConnection,
  program = builtFile("document-worker.js"),
): Promise<ConvertedDocument> {
  const isLocal = !/^https?:/i.test(connection.document);
  if ((isLocal && text.length <= MAX_INLINE_LENGTH) || !existsSync(program))
    return await convertDocument(text, connection);
  const reply = await askWorker(program, { text, connection: withoutSecrets(connection) });
  if (reply.kind === "converted") return reply.document;
  throw refuseDocument(reply.message, reply.hint);
}

function askWorker(program: string, request: DocumentRequest): Promise<DocumentReply> {
  const worker = new Worker(program, {
    workerData: request,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  return new Promise<DocumentReply>((resolve, reject) => {
    const fail = (what: string) =>
      reject(refuseDocument(`The document ${what}.`, "Use a document with fewer operations."));
    const timer = setTimeout(() => fail(`could not be read within ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS);
    worker.once("message", resolve);
    worker.on("error", () => fail(`needs more than ${MAX_MEMORY_MB} MB of memory to read, or reading it failed`));
    worker.once("exit", () => {
      clearTimeout(timer);
      fail("could not be read");
    });
  }).finally(() => {
    void worker.terminate();
  });
}
