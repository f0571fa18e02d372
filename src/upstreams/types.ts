import type { DiscoveryError } from "../errors.js";
import type { CallEvent, CallResult } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { RestOperation } from "../model/operation.js";
import type { Connection, Era, ServerListing } from "../model/server.js";
import type { Secrets } from "../util/secrets.js";
import type { OwnTool } from "./built-in.js";
import type { UpstreamOptions } from "./options.js";
import type { ConvertDocument } from "./rest/convert-document.js";

export interface UpstreamsParts {
  readonly options: UpstreamOptions;
  /** The gateway's version, which servers are told. */
  readonly version?: string;
  /** The gateway's environment; children get only the safe part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: (message: string) => void;
  /** The gateway's; without them each server has its own. */
  readonly secrets?: Secrets;
  /** Reads the documents of REST APIs. */
  readonly convertDocument?: ConvertDocument;
  /** The gateway's own tools, which are a server too. */
  readonly ownTools?: () => Promise<readonly OwnTool[]>;
  /** A server said that its tools changed; storms of it arrive coalesced. */
  readonly onListChanged?: (server: string) => void;
  readonly onStateChange?: (server: string) => void;
}

export interface Upstreams {
  /** Opens or shares the connection and calls. Waits for a start at most `startWaitMs`, then UPSTREAM_STARTING while the start goes on. */
  call(target: UpstreamTarget, call: UpstreamCall, signal?: AbortSignal): Promise<CallResult>;
  /** Lists over the open connection if there is one, else opens one, lists, and closes it right after unless calls have joined. */
  list(target: UpstreamTarget, signal?: AbortSignal): Promise<ServerListing>;
  state(server: string): UpstreamState;
  /** Lets calls that have begun finish on the old connection; new ones open a new one. Resolves when the old one is gone. */
  drop(server: string): Promise<void>;
  /** Puts another configuration into force, in one step: a server that is not the same any more is dropped, the others stay as they are. Gives the names of the dropped. */
  adopt(next: NextUpstreams): readonly string[];
  /** The last lines that a stdio server wrote to its standard error. */
  stderr(server: string): readonly string[];
  /** Ends everything, all servers in parallel, within five seconds. */
  close(): Promise<void>;
}

export interface NextUpstreams {
  readonly options: UpstreamOptions;
  /** By name: what each server is now, as `identityOf` tells it; a name that is missing is a server that is gone. */
  readonly identities: ReadonlyMap<string, string>;
}

export interface UpstreamTarget {
  readonly name: string;
  /** Resolves templates at the moment of use, and tells what must not show up again; may throw CONFIGURATION_ERROR. */
  readonly connection: (noteSecret?: (value: string) => void) => Promise<Connection> | Connection;
  /** The era that the server spoke last time. */
  readonly eraHint?: Era;
}

export interface UpstreamCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly meta?: JsonObject;
  /** How a REST API is asked. */
  readonly operation?: RestOperation;
  /** Longest silence; every progress report starts it anew. */
  readonly timeoutMs: number;
  /** Longest wait for a server that has to be started first; the configuration's when left out. */
  readonly startWaitMs?: number;
  /** Longest duration in all. */
  readonly maxTotalMs: number;
  readonly onEvent?: (event: CallEvent) => void;
  /** Awaited right before the call is sent, however long it waited for that; what it throws is the call's outcome. */
  readonly beforeSend?: () => Promise<void> | undefined;
}

export type UpstreamState =
  | { readonly kind: "closed" }
  | { readonly kind: "starting"; readonly since: number }
  | { readonly kind: "open"; readonly since: number; readonly inFlight: number; readonly era: Era }
  | { readonly kind: "failed"; readonly reason: DiscoveryError; readonly retryAt: number };
