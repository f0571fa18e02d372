import {
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { JsonViolation } from "../../../util/json/violation.js";
import { type Delivery, INTERNAL_ERROR, isId, toErrorAnswer } from "../frames.js";

interface OpenRequest {
  readonly flaws: readonly JsonViolation[];
  /** Its answer shares a stream with those of others. */
  readonly isOfMany: boolean;
}

type SendOptions = Parameters<WebStandardStreamableHTTPServerTransport["send"]>[1];

/** The SDK's transport of one session, and what of it has to be known outside: what is open, asked and agreed upon. */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  /** Agreed upon in the handshake. */
  revision: string | undefined;
  readonly #open = new Map<RequestId, OpenRequest>();
  readonly #asked = new Set<RequestId>();

  setProtocolVersion(revision: string): void {
    this.revision = revision;
  }

  isOpen(id: RequestId): boolean {
    return this.#open.has(id);
  }

  get openRequests(): number {
    return this.#open.size;
  }

  /** Whether the client was asked something under this id and has not answered. */
  hasAsked(id: RequestId): boolean {
    return this.#asked.has(id);
  }

  flawsOf(id: RequestId): readonly JsonViolation[] {
    return this.#open.get(id)?.flaws ?? [];
  }

  /** To be told of messages before they are handed over. */
  note(deliveries: readonly Delivery[]): void {
    const isOfMany = deliveries.length > 1;
    for (const { message, flaws } of deliveries) {
      if (!("method" in message)) {
        if (message.id !== undefined) this.#asked.delete(message.id);
      } else if ("id" in message) this.#open.set(message.id, { flaws, isOfMany });
    }
  }

  /** What was handed over and not taken is not open. */
  forget(deliveries: readonly Delivery[]): void {
    for (const { message } of deliveries) if ("method" in message && "id" in message) this.#open.delete(message.id);
  }

  /** A cancelled request is not answered, and the SDK would keep its stream for an answer that does not come. */
  async settleCancelled({ message }: Delivery): Promise<void> {
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const id = message.params?.["requestId"];
    const request = isId(id) ? this.#open.get(id) : undefined;
    if (!isId(id) || request === undefined) return;
    if (!request.isOfMany) this.closeSSEStream(id);
    this.#open.delete(id);
    // Where others share the stream it ends with their answers, so this one has to be counted.
    await super.send(toErrorAnswer(id, INTERNAL_ERROR, "The request was cancelled.") as JSONRPCMessage);
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if ("method" in message) {
      if ("id" in message) this.#asked.add(message.id);
    } else if (message.id !== undefined) this.#open.delete(message.id);
    await super.send(message, options);
  }
}
