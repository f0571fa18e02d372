// One session of a legacy client (MCP before 2026-07-28) over HTTP: passes its HTTP requests to the session's SDK
// server object.
import type { Server } from "@modelcontextprotocol/server";
import { BATCH_REVISION, MAX_BATCH } from "../batches.js";
import { type Delivery, type ErrorAnswer, type Frame, INVALID_REQUEST, type Item, toErrorAnswer } from "../frames.js";
import { boundStream, type BoundedStream, type BoundedStreamParts } from "./bounded-stream.js";
import { isEventStream, SERVER_ERROR, toEvent, toRpcFailure } from "./rpc-response.js";
import type { SessionTransport } from "./session-transport.js";

export interface HttpSessionParts {
  readonly id: string;
  /** Identifies who may use the session: equal for the same actor with the same permissions at the same endpoint. */
  readonly owner: string;
  readonly actorId: string;
  readonly server: Server;
  readonly transport: SessionTransport;
  readonly now: () => number;
  /** Called once when the session ends. */
  readonly onClose: () => void;
}

export class HttpSession {
  readonly id: string;
  readonly owner: string;
  readonly actorId: string;
  readonly #parts: HttpSessionParts;
  /** The event streams that are still open. */
  readonly #streams = new Set<BoundedStream>();
  #standalone: BoundedStream | undefined;
  #inProgress = 0;
  #lastUsed: number;

  constructor(parts: HttpSessionParts) {
    this.id = parts.id;
    this.owner = parts.owner;
    this.actorId = parts.actorId;
    this.#parts = parts;
    this.#lastUsed = parts.now();
    const previous = parts.server.onclose;
    parts.server.onclose = () => {
      previous?.();
      for (const stream of this.#streams) stream.end();
      parts.onClose();
    };
  }

  /** When the session was last used, on the clock `now`; undefined while it is in use. */
  get idleSince(): number | undefined {
    const isUsed = this.#inProgress > 0 || this.#streams.size > 0 || this.#parts.transport.openRequests > 0;
    return isUsed ? undefined : this.#lastUsed;
  }

  /** Handles GET and DELETE requests. The stream of a GET request ends after `lifeMs`. */
  async handle(request: Request, lifeMs: number): Promise<Response> {
    return await this.#exchange(async () => {
      const response = await this.#parts.transport.handleRequest(request);
      return request.method === "GET" ? this.#bounded(response, { lifeMs }) : response;
    });
  }

  async post(request: Request, frame: Frame): Promise<Response> {
    return await this.#exchange(async () => {
      if (frame.kind === "refused") return refusal(frame.answer);
      if (frame.kind === "ignored") return refusal(toErrorAnswer(null, INVALID_REQUEST, AMBIGUOUS));
      const opened = frame.kind === "batch" ? this.#open(frame.items) : this.#take(frame);
      const { deliveries, answers } = opened;
      if (deliveries.length === 0) return answers.length === 0 ? EMPTY() : refusalOf(opened, frame);
      return await this.#deliver(request, deliveries, { answers, isBatch: frame.kind === "batch" });
    });
  }

  /** Ends the notification stream (GET). Calls in progress continue. */
  endStandalone(): void {
    this.#parts.transport.closeStandaloneSSEStream();
    this.#standalone?.end();
  }

  async close(): Promise<void> {
    await this.#parts.server.close();
  }

  async #exchange(work: () => Promise<Response>): Promise<Response> {
    this.#inProgress += 1;
    try {
      return await work();
    } finally {
      this.#inProgress -= 1;
      this.#lastUsed = this.#parts.now();
    }
  }

  async #deliver(
    request: Request,
    deliveries: readonly Delivery[],
    { answers, isBatch }: { readonly answers: readonly ErrorAnswer[]; readonly isBatch: boolean },
  ): Promise<Response> {
    const { transport } = this.#parts;
    const messages = deliveries.map(({ message }) => message);
    transport.note(deliveries);
    const response = await transport.handleRequest(request, { parsedBody: isBatch ? messages : messages[0] });
    if (!response.ok) {
      transport.forget(deliveries);
      return response;
    }
    for (const delivery of deliveries) await transport.settleCancelled(delivery);
    if (response.status === 202 && answers.length > 0) return Response.json(answers);
    return this.#bounded(response, { first: answers.map(toEvent) });
  }

  /**
   * Limits the unread data of an event stream. If `lifeMs` is set, the stream is the session's notification stream
   * (GET), which belongs to no request.
   */
  #bounded(response: Response, parts: Pick<BoundedStreamParts, "first" | "lifeMs">): Response {
    if (!isEventStream(response) || response.body === null) return response;
    const bounded = boundStream(response.body, {
      ...parts,
      onEnd: () => {
        this.#streams.delete(bounded);
        this.#lastUsed = this.#parts.now();
      },
    });
    this.#streams.add(bounded);
    if (parts.lifeMs !== undefined) this.#standalone = bounded;
    return new Response(bounded.body, { status: response.status, headers: response.headers });
  }

  #take(delivery: Delivery): Opened {
    const { message } = delivery;
    const { transport } = this.#parts;
    const wrong =
      "method" in message
        ? "id" in message && transport.isOpen(message.id)
          ? `A request with the id ${JSON.stringify(message.id)} is still open.`
          : undefined
        : message.id === undefined || !transport.hasSent(message.id)
          ? "The response does not belong to an open request from the gateway."
          : undefined;
    if (wrong === undefined) return { deliveries: [delivery], answers: [] };
    return { deliveries: [], answers: [toErrorAnswer(null, INVALID_REQUEST, wrong)] };
  }

  /** Checks each message of a batch separately, like the stdio transport. */
  #open(items: readonly Item[]): Opened {
    if (this.#parts.transport.revision !== BATCH_REVISION)
      return refused(`JSON-RPC batches are allowed only in the MCP revision ${BATCH_REVISION}.`);
    if (items.length === 0) return refused("The JSON-RPC batch is empty.");
    if (items.length > MAX_BATCH) return refused(`A JSON-RPC batch may have at most ${MAX_BATCH} messages.`);
    const ids = new Set<unknown>();
    const deliveries: Delivery[] = [];
    const answers: ErrorAnswer[] = [];
    for (const item of items) {
      if (item.kind === "refused") answers.push(item.answer);
      if (item.kind !== "message") continue;
      const { message } = item;
      const taken = this.#take(item);
      if (!("method" in message && "id" in message)) {
        deliveries.push(...taken.deliveries);
      } else if (message.method === "initialize" || ids.has(message.id) || taken.answers.length > 0) {
        answers.push(
          toErrorAnswer(
            message.id,
            INVALID_REQUEST,
            'A batch must not contain "initialize" or the id of a request that is still open.',
          ),
        );
      } else {
        ids.add(message.id);
        deliveries.push(item);
      }
    }
    return { deliveries, answers };
  }
}

interface Opened {
  readonly deliveries: readonly Delivery[];
  /** The error responses for invalid messages. */
  readonly answers: readonly ErrorAnswer[];
  /** Set if the batch as a whole is invalid: its only error is sent as an object, not as an array. */
  readonly isBatchInvalid?: true;
}

const AMBIGUOUS = "The notification has duplicate or forbidden keys, or numbers that cannot be represented exactly.";
const EMPTY = (): Response => new Response(null, { status: 202 });

function refused(reason: string): Opened {
  return { deliveries: [], answers: [toErrorAnswer(null, INVALID_REQUEST, reason)], isBatchInvalid: true };
}

function refusal({ id, error }: ErrorAnswer): Response {
  return toRpcFailure({ status: 400, id, ...error });
}

function refusalOf({ answers, isBatchInvalid }: Opened, { kind }: Frame): Response {
  const [first] = answers;
  if (first === undefined) return toRpcFailure({ status: 400, code: SERVER_ERROR, message: AMBIGUOUS });
  return kind === "batch" && !isBatchInvalid ? Response.json(answers, { status: 400 }) : refusal(first);
}
