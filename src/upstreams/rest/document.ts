// The place of a document comes in, the tools it describes go out; a document that is what it was is not read again.
import { open } from "node:fs/promises";
import { DiscoveryError } from "../../errors.js";
import type { RestConnection } from "../../model/server.js";
import type { GuardedFetch, GuardedResponse } from "../../util/net/guarded-fetch.js";
import { beforeSending } from "./before-sending.js";
import type { ConvertDocument, DescribedTools } from "./convert-document.js";
import { readText } from "./read-text.js";

export const LARGEST_DOCUMENT = 50 * 1024 * 1024;

/** What is known of a server's document beyond one connection. */
export interface DocumentMemory {
  stamp?: string;
  /** Held only while others hold it too: the tools of a large API take many megabytes. */
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
  /** Changes with the document; undefined when nothing tells whether it has changed. */
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
  const kept = memory.described?.deref();
  const known = kept === undefined ? undefined : memory.stamp;
  const read = isWebAddress(connection.document) ? fetchText : readFileText;
  const found = await beforeSending(read(connection.document, { ...parts, known }, signal), parts.server);
  if (found === undefined && kept !== undefined) return kept;
  if (found === undefined) throw unread(parts.server, "it says that nothing has changed");
  const described = await convert(found.text, connection);
  if (found.stamp === undefined) delete memory.stamp;
  else memory.stamp = found.stamp;
  memory.described = new WeakRef(described);
  return described;
}

type ReadParts = DocumentParts & { readonly known: string | undefined };

/** Undefined when the document is the known one. */
async function readFileText(path: string, { server, known }: ReadParts): Promise<Text | undefined> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    throw unread(server, error.code === "ENOENT" ? "there is no such file" : `it cannot be read (${error.code})`);
  });
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw unread(server, "it is not a file");
    if (stats.size > BigInt(LARGEST_DOCUMENT)) throw tooLarge(server);
    const stamp = [path, stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
    return stamp === known ? undefined : { text: await file.readFile("utf8"), stamp };
  } finally {
    await file.close();
  }
}

async function fetchText(address: string, parts: ReadParts, signal?: AbortSignal): Promise<Text | undefined> {
  const { server, guarded, timeoutMs, known } = parts;
  // The stamp is the header that asks for changes only, with its value.
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
      maxBytes: LARGEST_DOCUMENT,
      redirect: "follow",
    },
    signal,
  );
  const text = await readText(response.body);
  if (response.status === 304 && known !== undefined) return undefined;
  if (response.status !== 200) throw unread(server, `its address answered with HTTP ${response.status}`);
  return { text, stamp: stampOf(response) };
}

function stampOf({ headers }: GuardedResponse): string | undefined {
  if (headers["etag"] !== undefined) return `if-none-match: ${headers["etag"]}`;
  return headers["last-modified"] === undefined ? undefined : `if-modified-since: ${headers["last-modified"]}`;
}

function unread(server: string, why: string): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `The document of ${server} is not to be had: ${why}.`, {
    hint: `Check adapters.${server}.document in the configuration.`,
    server,
  });
}

function tooLarge(server: string): DiscoveryError {
  return unread(server, `it is larger than ${LARGEST_DOCUMENT / 1024 / 1024} MiB`);
}
