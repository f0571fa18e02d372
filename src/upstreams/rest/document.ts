// Reads an API document and returns the tools that it describes. An unchanged document is not converted again.
import { DiscoveryError } from "../../errors.js";
import type { RestConnection } from "../../model/server.js";
import type { GuardedFetch, GuardedResponse } from "../../util/net/guarded-fetch.js";
import { openRegularFile, readToEnd } from "../../util/regular-file.js";
import { beforeSending } from "./before-sending.js";
import type { ConvertDocument, DescribedTools } from "./convert-document.js";
import { readText } from "./read-text.js";

export const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;

/** Data about a server's API document that outlives one connection. */
export interface DocumentMemory {
  stamp?: string;
  /**
   * A weak reference: the tools of a large API take many megabytes and stay in memory only while the catalog uses them.
   */
  described?: WeakRef<DescribedTools>;
}

export interface DocumentParts {
  readonly server: string;
  readonly guarded: GuardedFetch;
  readonly convert: ConvertDocument;
  readonly memory: DocumentMemory;
  readonly timeoutMs: number;
}

interface Text {
  readonly text: string;
  /** A value that changes with the document. Undefined if there is no way to detect a change. */
  readonly stamp: string | undefined;
}

export function isWebAddress(document: string): boolean {
  return /^https?:\/\//i.test(document);
}

export async function readDocument(
  connection: RestConnection,
  parts: DocumentParts,
  signal?: AbortSignal,
): Promise<DescribedTools> {
  const { memory, convert } = parts;
  const cached = memory.described?.deref();
  const known = cached === undefined ? undefined : memory.stamp;
  const read = isWebAddress(connection.document) ? fetchText : readFileText;
  const found = await beforeSending(read(connection.document, { ...parts, known }, signal), parts.server);
  if (found === undefined && cached !== undefined) return cached;
  if (found === undefined)
    throw documentUnreadable(parts.server, "its server answered HTTP 304 to an unconditional request");
  const described = await convert(found.text, connection);
  if (found.stamp === undefined) delete memory.stamp;
  else memory.stamp = found.stamp;
  memory.described = new WeakRef(described);
  return described;
}

type ReadParts = DocumentParts & { readonly known: string | undefined };

/** Reads the API document from a file. Resolves to undefined if the document is unchanged. */
async function readFileText(path: string, { server, known }: ReadParts): Promise<Text | undefined> {
  const file = await openRegularFile(path).catch((error: NodeJS.ErrnoException) => {
    throw documentUnreadable(server, WHY_UNREADABLE[error.code ?? ""] ?? `it cannot be read (${error.code})`);
  });
  try {
    const stats = await file.stat({ bigint: true });
    if (stats.size > BigInt(MAX_DOCUMENT_BYTES)) throw tooLarge(server);
    const stamp = [path, stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
    return stamp === known
      ? undefined
      : { text: (await readToEnd(file, path, MAX_DOCUMENT_BYTES)).toString("utf8"), stamp };
  } finally {
    await file.close();
  }
}

const WHY_UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is not a file",
  NOT_A_REGULAR_FILE: "it is not a regular file, but a named pipe, a socket or a device",
};

async function fetchText(address: string, parts: ReadParts, signal?: AbortSignal): Promise<Text | undefined> {
  const { server, guarded, timeoutMs, known } = parts;
  // The stamp is the conditional request header with its value.
  const [header, ...value] = known?.split(": ") ?? [];
  const response = await guarded.fetch(
    {
      url: new URL(address),
      method: "GET",
      headers: {
        accept: "application/json, application/yaml;q=0.9, */*;q=0.5",
        ...(header === undefined ? {} : { [header]: value.join(": ") }),
      },
      timeoutMs,
      maxTotalMs: timeoutMs,
      maxBytes: MAX_DOCUMENT_BYTES,
      redirect: "follow",
    },
    signal,
  );
  const text = await readText(response.body);
  if (response.status === 304 && known !== undefined) return undefined;
  if (response.status !== 200) throw documentUnreadable(server, `its URL answered with HTTP ${response.status}`);
  return { text, stamp: stampOf(response) };
}

function stampOf({ headers }: GuardedResponse): string | undefined {
  if (headers["etag"] !== undefined) return `if-none-match: ${headers["etag"]}`;
  return headers["last-modified"] === undefined ? undefined : `if-modified-since: ${headers["last-modified"]}`;
}

function documentUnreadable(server: string, why: string): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `The API document of ${server} cannot be read: ${why}.`, {
    hint: { action: "edit-config", key: `adapters.${server}.document`, change: "correct" },
    server,
  });
}

function tooLarge(server: string): DiscoveryError {
  return documentUnreadable(server, `it is larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MiB`);
}
