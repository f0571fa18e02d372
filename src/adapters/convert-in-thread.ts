import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { builtFile } from "../util/built-file.js";
import { type ConvertedDocument, convertDocument } from "./convert-document.js";
import { type DocumentConnection, withoutSecrets } from "./document-connection.js";
import type { DocumentReply, DocumentRequest } from "./document-worker.js";
import { refuseDocument } from "./refuse.js";

/** What is read in a few milliseconds needs no thread, unless a stranger may have written it. */
const SMALL = 100_000;
const LONGEST_MS = 60_000;
const MOST_MEMORY_MB = 2_048;

/**
 * As `convertDocument`, in a thread of its own where the document is large, since reading 4 MB of YAML takes more than a second,
 * or comes from the web.
 */
export async function convertInThread(
  text: string,
  connection: DocumentConnection,
  program = builtFile("document-worker.js"),
): Promise<ConvertedDocument> {
  const isOwn = !/^https?:/i.test(connection.document);
  if ((isOwn && text.length <= SMALL) || !existsSync(program)) return await convertDocument(text, connection);
  const reply = await askWorker(program, { text, connection: withoutSecrets(connection) });
  if (reply.kind === "converted") return reply.document;
  throw refuseDocument(reply.message, reply.hint ?? "");
}

function askWorker(program: string, request: DocumentRequest): Promise<DocumentReply> {
  const worker = new Worker(program, {
    workerData: request,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  });
  return new Promise<DocumentReply>((resolve, reject) => {
    const fail = (what: string) => reject(refuseDocument(`The document ${what}.`, "Use a smaller part of it."));
    const timer = setTimeout(() => fail(`could not be read within ${LONGEST_MS / 1000} s`), LONGEST_MS);
    worker.once("message", resolve);
    worker.on("error", () => fail("takes more memory to read than it may"));
    worker.once("exit", () => {
      clearTimeout(timer);
      fail("could not be read");
    });
  }).finally(() => {
    void worker.terminate();
  });
}
