import {
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { JsonViolation } from "../../../util/json/violation.js";
import { type Delivery, INTERNAL_ERROR, isId, toErrorAnswer } from "../frames.js";

interface OpenRequest {
  readonly flaws: readonly JsonViolation[];
  /** Whether the response shares a stream with the responses to other requests of the same batch. */
  readonly isInBatch: boolean;
}

type SendOptions = Parameters<WebStandardStreamableHTTPServerTransport["send"]>[1];

/**
 * The SDK's transport for one session, which also records the open requests in both directions and the MCP revision.
 */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  /** The MCP revision that was negotiated in the handshake. */
  revision: string | undefined;
  readonly #open = new Map<RequestId, OpenRequest>();
  readonly #sent = new Set<RequestId>();

  setProtocolVersion(revision: string): void {
    this.revision = revision;
  }

  isOpen(id: RequestId): boolean {
    return this.#open.has(id);
  }

  get openRequests(): number {
    return this.#open.size;
  }

  /** Whether the gateway sent a request with this id to which the client has not responded yet. */
  hasSent(id: RequestId): boolean {
    return this.#sent.has(id);
  }

  flawsOf(id: RequestId): readonly JsonViolation[] {
    return this.#open.get(id)?.flaws ?? [];
  }

  /** Records messages from the client. Must be called before the SDK handles them. */
  note(deliveries: readonly Delivery[]): void {
    const isInBatch = deliveries.length > 1;
    for (const { message, flaws } of deliveries) {
      if (!("method" in message)) {
        if (message.id !== undefined) this.#sent.delete(message.id);
      } else if ("id" in message) this.#open.set(message.id, { flaws, isInBatch });
    }
  }

  /** Removes the records of messages that the SDK rejected. */
  forget(deliveries: readonly Delivery[]): void {
    for (const { message } of deliveries) if ("method" in message && "id" in message) this.#open.delete(message.id);
  }

  /** Ends a cancelled request. It gets no response, so the SDK would keep its stream open forever. */
  async settleCancelled({ message }: Delivery): Promise<void> {
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const id = message.params?.["requestId"];
    const request = isId(id) ? this.#open.get(id) : undefined;
    if (!isId(id) || request === undefined) return;
    if (!request.isInBatch) this.closeSSEStream(id);
    this.#open.delete(id);
    // A stream that a batch shares ends when all its requests have a response, so the cancelled one needs a response as
    // well.
    await super.send(toErrorAnswer(id, INTERNAL_ERROR, "The request was cancelled.") as JSONRPCMessage);
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if ("method" in message) {
      if ("id" in message) this.#sent.add(message.id);
    } else if (message.id !== undefined) this.#open.delete(message.id);
    await super.send(message, options);
  }
}
