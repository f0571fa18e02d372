/** One HTTP/1.1 request as the client sent it. */
export interface WholeRequest {
  readonly bytes: Buffer;
  readonly method: string;
  readonly path: string;
  /** The header lines as received. */
  readonly head: string;
  readonly body: string;
}

export interface ProxiedRequest extends WholeRequest {
  /** Its number on the connection, from 1. */
  readonly number: number;
  /** Whether the connection had an earlier request. */
  readonly isReused: boolean;
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");

/** Parses the bytes of one connection and reports each complete request. It supports only bodies with a length. */
export function createRequestReader(onRequest: (request: WholeRequest) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const end = pending.indexOf(END_OF_HEAD);
      if (end === -1) return;
      const [first = "", ...lines] = pending.subarray(0, end).toString("latin1").split("\r\n");
      const head = lines.join("\n");
      if (/^transfer-encoding:/im.test(head)) throw new Error("Chunked bodies are not supported here.");
      const from = end + END_OF_HEAD.length;
      const to = from + Number(/^content-length:\s*(\d+)/im.exec(head)?.[1] ?? 0);
      if (pending.length < to) return;
      const bytes = pending.subarray(0, to);
      pending = pending.subarray(to);
      const [method = "", path = ""] = first.split(" ");
      onRequest({ bytes, method, path, head, body: bytes.subarray(from).toString("utf8") });
    }
  };
}
