// The worker thread that converts one API document, so that the gateway's event loop is not blocked.
import { parentPort, workerData } from "node:worker_threads";
import { DiscoveryError } from "../errors.js";
import type { Hint } from "../model/next-steps.js";
import { type ConvertedDocument, convertDocument } from "./convert-document.js";
import type { DocumentConnection } from "./document-connection.js";

export interface DocumentRequest {
  readonly text: string;
  readonly connection: DocumentConnection;
}

export type DocumentReply =
  | { readonly kind: "converted"; readonly document: ConvertedDocument }
  | { readonly kind: "refused"; readonly message: string; readonly hint: Hint };

parentPort?.postMessage(await reply(workerData as DocumentRequest));

async function reply({ text, connection }: DocumentRequest): Promise<DocumentReply> {
  try {
    return { kind: "converted", document: await convertDocument(text, connection) };
  } catch (error) {
    if (error instanceof DiscoveryError) return { kind: "refused", message: error.message, hint: error.nextSteps };
    throw error;
  }
}
