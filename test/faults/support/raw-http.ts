import { connect, type Socket } from "node:net";

/** One HTTP response as received. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection that sends bytes unchanged. */
export interface RawConnection {
  readonly socket: Socket;
  readonly isOpen: boolean;
  write(bytes: Uint8Array | string): void;
  /** The next response, `closed`, or nothing within the time. A response to HEAD has no body, whatever its headers say. */
  next(limitMs: number, isToHead?: boolean): Promise<RawAnswer | "closed" | "nothing">;
  /** Received bytes that are not part of a parsed response yet. */
  rest(): string;
  end(): void;
}

export function describeAnswer(answer: RawAnswer | string): string {
  return typeof answer === "string" ? answer : `${answer.status} ${answer.body.slice(0, 200)}`;
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let pending = Buffer.alloc(0);
  let isOpen = true;
  let wake = (): void => undefined;
  socket.on("data", (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    wake();
  });
  socket
    .on("error", () => undefined)
    .on("close", () => {
      isOpen = false;
      wake();
    });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const take = (isToHead: boolean): RawAnswer | undefined => {
    const found = isToHead ? parseHead(pending) : parseAnswer(pending, isOpen);
    if (found !== undefined) pending = pending.subarray(found.length);
    return found?.answer;
  };
  return {
    socket,
    get isOpen() {
      return isOpen;
    },
    write: (bytes) => void socket.write(bytes),
    next: (limitMs, isToHead = false) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => settle("nothing"), limitMs);
        const settle = (what: RawAnswer | "closed" | "nothing"): void => {
          clearTimeout(timer);
          wake = () => undefined;
          resolve(what);
        };
        const look = (): void => {
          const answer = take(isToHead);
          if (answer !== undefined) settle(answer);
          else if (!isOpen) settle("closed");
        };
        wake = look;
        look();
      }),
    rest: () => pending.toString("latin1"),
    end: () => void socket.destroy(),
  };
}

interface Parsed {
  readonly answer: RawAnswer;
  /** The length in bytes. */
  readonly length: number;
}

function parseHead(bytes: Buffer): Parsed | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { answer: { status, headers, body: "" }, length: end + 4 };
}

/** The body ends by its length, its last chunk, or the end of the connection. */
function parseAnswer(bytes: Buffer, isOpen: boolean): Parsed | undefined {
  const head = parseHead(bytes);
  if (head === undefined) return undefined;
  const { status, headers } = head.answer;
  const from = head.length;
  const whole = (to: number, body: string): Parsed => ({ answer: { status, headers, body }, length: to });
  if (headers.get("transfer-encoding") === "chunked") {
    const chunked = readPieces(bytes, from);
    return chunked === undefined ? undefined : whole(chunked.to, chunked.body);
  }
  const length = headers.get("content-length");
  if (length === undefined && status >= 200 && status !== 204 && status !== 304)
    return isOpen ? undefined : whole(bytes.length, bytes.subarray(from).toString("utf8"));
  const to = from + Number(length ?? 0);
  return bytes.length < to ? undefined : whole(to, bytes.subarray(from, to).toString("utf8"));
}

function readPieces(bytes: Buffer, from: number): { to: number; body: string } | undefined {
  const pieces: Buffer[] = [];
  for (let at = from; ; ) {
    const end = bytes.indexOf("\r\n", at);
    if (end === -1) return undefined;
    const size = Number.parseInt(bytes.subarray(at, end).toString("latin1"), 16);
    const next = end + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { to: next, body: Buffer.concat(pieces).toString("utf8") };
    pieces.push(bytes.subarray(end + 2, end + 2 + size));
    at = next;
  }
}

export interface RawRequest {
  readonly method?: string;
  readonly target?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** A request with its length and exactly these other headers. */
export function toRequest({ method = "POST", target = "/mcp", headers, body }: RawRequest): Buffer {
  const bytes = Buffer.from(body ?? "");
  const length = body === undefined ? [] : [`Content-Length: ${bytes.length}`];
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${target} HTTP/1.1`, ...lines, ...length, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
}
