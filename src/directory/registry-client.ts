// Queries the API of an MCP registry. Only commands with --online and the script that generates the directory use it.
import { DiscoveryError } from "../errors.js";
import { isStopWord } from "../search/stop-words.js";
import { splitChunks } from "../search/tokenize.js";
import { createGuardedFetch } from "../util/net/guarded-fetch.js";
import type { ProxyEnvironment } from "../util/net/proxy.js";
import type { DirectoryEntry } from "./entry.js";
import { createServerRanker, type Suggestion } from "./rank.js";
import { serverList, toDirectoryEntry } from "./server-json.js";

export const OFFICIAL_REGISTRY = "https://registry.modelcontextprotocol.io";

const TIME_LIMIT_MS = 15_000;
const MAX_BYTES = 8 * 1024 * 1024;
const PAGE_SIZE = 100;
/**
 * How many words of a query are searched for. The registry API matches one substring against server names, so each word
 * needs its own request.
 */
const MAX_WORDS = 4;

export interface RegistryClient {
  /** Servers whose name contains a content word of the query, ranked by name and description. */
  search(query: string, limit: number, signal?: AbortSignal): Promise<readonly Suggestion[]>;
  /** All servers, page by page, up to `maxPages`. */
  list(maxPages: number, signal?: AbortSignal): AsyncGenerator<DirectoryEntry, void, undefined>;
}

/** `env`: environment variables that set the proxy and the certificate authorities. */
export function createRegistryClient(address: string, env: ProxyEnvironment): RegistryClient {
  const base = parseAddress(address);
  const fetcher = createGuardedFetch({ server: base.host, allowInternal: isLoopback(base) ? [base.origin] : [], env });

  const ask = async (parameters: Readonly<Record<string, string>>, signal: AbortSignal | undefined) => {
    const url = new URL(`${base.pathname.replace(/\/+$/u, "")}/v0/servers`, base);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const limits = { timeoutMs: TIME_LIMIT_MS, maxTotalMs: TIME_LIMIT_MS, maxBytes: MAX_BYTES };
    const request = {
      url,
      method: "GET",
      headers: { accept: "application/json" },
      redirect: "follow",
      ...limits,
    } as const;
    const { status, body } = await fetcher.fetch(request, signal);
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    if (status !== 200) throw unusable(base, `it responded with HTTP status ${status}`);
    const parsed = serverList.safeParse(parseJson(base, Buffer.concat(chunks).toString("utf8")));
    if (!parsed.success) throw unusable(base, "its response is not a list of servers");
    return parsed.data;
  };

  return {
    async search(query, limit, signal) {
      try {
        const words = toWords(query);
        const answers = await Promise.all(
          words.map((word) => ask({ search: word, version: "latest", limit: String(PAGE_SIZE) }, signal)),
        );
        const entries = answers.flatMap(({ servers }) => servers).flatMap(toEntries);
        const unique = [...new Map(entries.map((entry) => [entry.name, entry])).values()];
        return createServerRanker(unique, undefined).search(query, limit);
      } catch (error) {
        throw withHint(error, base);
      } finally {
        fetcher.close();
      }
    },
    async *list(maxPages, signal) {
      try {
        let cursor: string | undefined;
        for (let page = 0; page < maxPages; page += 1) {
          const start: Record<string, string> = cursor === undefined ? {} : { cursor };
          const { servers, metadata } = await ask({ ...start, version: "latest", limit: String(PAGE_SIZE) }, signal);
          yield* servers.flatMap(toEntries);
          cursor = metadata?.nextCursor ?? undefined;
          if (cursor === undefined || cursor === "") return;
        }
      } finally {
        fetcher.close();
      }
    },
  };
}

function toEntries(item: unknown): DirectoryEntry[] {
  const entry = toDirectoryEntry(item);
  return entry === undefined ? [] : [entry];
}

/** The longest content words of the query: short words occur in too many server names. */
function toWords(query: string): string[] {
  const words = splitChunks(query.toLowerCase()).filter((word) => word.length > 2 && !isStopWord(word));
  return [...new Set(words)].toSorted((a, b) => b.length - a.length).slice(0, MAX_WORDS);
}

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url)))) return url;
  throw new DiscoveryError("CONFIGURATION_ERROR", `"${address}" cannot be used as the URL of an MCP registry.`, {
    hint: {
      action: "set-variable",
      name: "ANYGPT_REGISTRY_URL",
      value: "an https URL, or an http URL of this machine",
    },
  });
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}

function parseJson(base: URL, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(base, "its response is not JSON");
  }
}

function unusable({ host }: URL, reason: string): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `The MCP registry ${host} could not be used: ${reason}.`, {
    hint: OFFLINE_HINT,
  });
}

const OFFLINE_HINT = "Search the directory of this package instead: repeat the command without --online.";

function withHint(error: unknown, { host }: URL): unknown {
  if (!(error instanceof DiscoveryError) || error.hint === OFFLINE_HINT) return error;
  return new DiscoveryError(error.code, `The MCP registry ${host} could not be reached: ${error.message}`, {
    hint: OFFLINE_HINT,
    cause: error,
  });
}
