// Opens a session with a REST API: its tools come from its API document, its calls are HTTP requests.
import { DiscoveryError } from "../../errors.js";
import type { CallResult } from "../../model/call.js";
import type { RestConnection, ServerListing } from "../../model/server.js";
import { createGuardedFetch, type GuardedFetchParts } from "../../util/net/guarded-fetch.js";
import type { Secrets } from "../../util/secrets.js";
import type { UpstreamOptions } from "../options.js";
import type { Schedule } from "../schedule.js";
import type { UpstreamSession } from "../session.js";
import type { UpstreamCall } from "../types.js";
import { type BaseAddress, baseAddressError, parseBaseAddress } from "./base-address.js";
import { buildRequest } from "./build-request.js";
import type { ConvertDocument, DescribedTools } from "./convert-document.js";
import { createCredentials } from "./credentials.js";
import { type DocumentMemory, isWebAddress, readDocument } from "./document.js";
import { orCancelled } from "./or-cancelled.js";
import { createRetryBudget, type RetryBudget } from "./retry.js";
import { send } from "./send.js";

export interface RestSessionParts extends Pick<GuardedFetchParts, "lookup" | "ca" | "env"> {
  readonly server: string;
  readonly version: string;
  readonly options: UpstreamOptions;
  readonly secrets: Secrets;
  readonly convert: ConvertDocument;
  readonly memory: RestMemory;
  readonly now: () => number;
  readonly random: () => number;
  readonly schedule: Schedule;
}

/** State of a REST API that outlives one session. */
export interface RestMemory {
  readonly document: DocumentMemory;
  readonly budget: RetryBudget;
}

export function createRestMemory(): RestMemory {
  return { document: {}, budget: createRetryBudget() };
}

/** Opens a session. Sends no request before the first tool list or call. */
export async function openRestSession(connection: RestConnection, parts: RestSessionParts): Promise<UpstreamSession> {
  const { server, options, memory } = parts;
  const guarded = createGuardedFetch({ ...parts, allowInternal: configuredOrigins(connection) });
  const credentials = createCredentials({ ...parts, connection, guarded });
  const sendParts = {
    ...parts,
    connection,
    guarded,
    credentials,
    budget: memory.budget,
    maxMessageBytes: options.maxMessageBytes,
  };
  const uploads = { server, folders: connection.uploads };
  let base = connection.baseUrl === undefined ? undefined : parseBaseAddress({ server, address: connection.baseUrl });
  let describing: Promise<unknown> | undefined;
  let isClosed = false;

  async function describe(signal?: AbortSignal): Promise<DescribedTools> {
    const timeoutMs = options.listTimeoutMs;
    const described = await readDocument(
      connection,
      { server, guarded, convert: parts.convert, memory: memory.document, timeoutMs },
      signal,
    );
    if (connection.baseUrl === undefined) base = baseIn(described, connection, server);
    return described;
  }

  async function findBase(signal?: AbortSignal): Promise<BaseAddress> {
    if (base === undefined) {
      // Concurrent calls share one read of the document.
      describing ??= describe().finally(() => (describing = undefined));
      await orCancelled(describing, server, signal);
    }
    if (base !== undefined) return base;
    throw baseAddressError(server, "is unknown: neither the configuration nor the document defines one");
  }

  async function callTool(call: UpstreamCall): Promise<CallResult> {
    const { operation, context } = call;
    if (operation === undefined) throw operationUnknown(server, call.tool);
    if (connection.lacking !== undefined && operation.isOpen !== true)
      throw credentialsMissing(server, connection.lacking);
    if (isBaseChosenByWebDocument(connection)) throw baseAddressRequired(server);
    const base = await findBase(context.signal);
    const build = { server, base, uploads, reservedHeaders: credentials.reservedHeaders };
    const request = await buildRequest(operation, call.arguments, build);
    return await send({ call, operation, request, base }, sendParts);
  }

  return {
    era: "modern",
    get closed() {
      return isClosed;
    },
    async listTools(signal) {
      return toListing(await describe(signal));
    },
    callTool,
    watchList: () => undefined,
    async close() {
      isClosed = true;
      guarded.close();
    },
  };
}

/** Whether a document from the web would choose the host that receives the credentials, which must not happen. */
function isBaseChosenByWebDocument({ document, baseUrl, auth, headers }: RestConnection): boolean {
  return baseUrl === undefined && isWebAddress(document) && (auth !== undefined || Object.keys(headers).length > 0);
}

function baseAddressRequired(server: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `${server} has credentials or headers, but no base address.`, {
    hint: [
      { action: "edit-config", key: `adapters.${server}.baseUrl`, value: "the address of the API" },
      "A document from the web must not choose the address that receives credentials.",
    ],
    server,
  });
}

function credentialsMissing(server: string, variables: readonly string[]): DiscoveryError {
  const what = variables.length === 1 ? `The variable ${variables[0]} is` : `The variables ${variables.join(", ")} are`;
  return new DiscoveryError(
    "CONFIGURATION_ERROR",
    `${what} not set, but ${server} needs ${variables.length === 1 ? "it" : "them"}.`,
    {
      hint: "Set the missing variables in the environment, or in .env.local, .env, .ai/.env or ~/.ai/.env.",
      facts: { variables },
      server,
    },
  );
}

/**
 * The origins in the configuration: of the API document, the API and the token endpoint. Only these may be private
 * addresses.
 */
function configuredOrigins({ document, baseUrl, auth }: RestConnection): string[] {
  const tokenUrl = auth?.kind === "client-credentials" ? auth.tokenUrl : undefined;
  return [document, baseUrl, tokenUrl].flatMap((address) =>
    address !== undefined && isWebAddress(address) && URL.canParse(address) ? [new URL(address).origin] : [],
  );
}

/**
 * The base address in the API document. Undefined if it is missing or invalid: the document's tools can still be
 * listed.
 */
function baseIn({ baseUrl }: DescribedTools, { document }: RestConnection, server: string): BaseAddress | undefined {
  if (baseUrl === undefined) return undefined;
  const documentUrl = isWebAddress(document) ? document : undefined;
  try {
    return parseBaseAddress({ server, address: baseUrl, documentUrl });
  } catch {
    return undefined;
  }
}

function toListing({ tools, dropped, truncated, title, version, description }: DescribedTools): ServerListing {
  return {
    tools,
    dropped,
    truncated,
    era: "modern",
    ...(title === undefined ? {} : { title }),
    ...(version === undefined ? {} : { version }),
    ...(description === undefined ? {} : { instructions: description }),
  };
}

function operationUnknown(server: string, tool: string): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `The API operation of the tool ${server}:${tool} is unknown.`, {
    hint: "Refresh the catalog, so that the gateway reads the API document again.",
    server,
    tool,
  });
}
