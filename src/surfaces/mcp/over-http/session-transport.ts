import {
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { JsonViolation } from "../../../util/json/violation.js";
import { type Delivery, INTERNAL_ERROR, isId, toErrorAnswer } from "../frames.js";

interface OpenRequest {
  readonly flaws: readonly JsonViolation[];
  /** The answer shares a stream with the answers of other requests. */
  readonly isInBatch: boolean;
}

type SendOptions = Parameters<WebStandardStreamableHTTPServerTransport["send"]>[1];

/** The SDK's transport of one session. It also records the open requests in both directions and the protocol revision. */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  /** The protocol revision that was negotiated in the handshake. */
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

  /** Whether the gateway sent a request with this id that the client has not answered. */
  hasSent(id: RequestId): boolean {
    return this.#sent.has(id);
  }

  flawsOf(id: RequestId): readonly JsonViolation[] {
    return this.#open.get(id)?.flaws ?? [];
  }

  /** Records messages; call it before the SDK handles them. */
  note(deliveries: readonly Delivery[]): void {
    const isInBatch = deliveries.length > 1;
    for (const { message, flaws } of deliveries) {
      if (!("method" in message)) {
        if (message.id !== undefined) this.#sent.delete(message.id);
      } else if ("id" in message) this.#open.set(message.id, { flaws, isInBatch });
    }
  }

  /** Removes messages that the SDK rejected. */
  forget(deliveries: readonly Delivery[]): void {
    for (const { message } of deliveries) if ("method" in message && "id" in message) this.#open.delete(message.id);
  }

  /** A cancelled request gets no answer, so the SDK would keep its stream open for ever. */
  async settleCancelled({ message }: Delivery): Promise<void> {
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const id = message.params?.["requestId"];
    const request = isId(id) ? this.#open.get(id) : undefined;
    if (!isId(id) || request === undefined) return;
    if (!request.isInBatch) this.closeSSEStream(id);
    this.#open.delete(id);
    // A shared stream ends when all its requests are answered, so this one needs an answer as well.
    await super.send(toErrorAnswer(id, INTERNAL_ERROR, "The request was cancelled.") as JSONRPCMessage);
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if ("method" in message) {
      if ("id" in message) this.#sent.add(message.id);
    } else if (message.id !== undefined) this.#open.delete(message.id);
    await super.send(message, options);
  }
}
