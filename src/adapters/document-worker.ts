// A thread of its own for one document: its text comes in, its tools go out, and the gateway goes on meanwhile.
import { parentPort, workerData } from "node:worker_threads";
import { DiscoveryError } from "../errors.js";
import { type ConvertedDocument, convertDocument } from "./convert-document.js";
import type { DocumentConnection } from "./document-connection.js";

export interface DocumentRequest {
  readonly text: string;
  readonly connection: DocumentConnection;
}

export type DocumentReply =
  | { readonly kind: "converted"; readonly document: ConvertedDocument }
  | { readonly kind: "refused"; readonly message: string; readonly hint: string | undefined };

parentPort?.postMessage(await reply(workerData as DocumentRequest));

async function reply({ text, connection }: DocumentRequest): Promise<DocumentReply> {
  try {
    return { kind: "converted", document: await convertDocument(text, connection) };
  } catch (error) {
    if (error instanceof DiscoveryError) return { kind: "refused", message: error.message, hint: error.hint };
    throw error;
  }
}
