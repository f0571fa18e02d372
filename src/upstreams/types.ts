import type { DiscoveryError } from "../errors.js";
import type { CallContext, CallerPeer, CallEvent, CallResult } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { RestOperation } from "../model/operation.js";
import type { ServerConnection, Era, ServerListing } from "../model/server.js";
import type { Secrets } from "../util/secrets.js";
import type { BuiltInTool } from "../model/built-in.js";
import type { SignIn, SignInRequest } from "./oauth/sign-in.js";
import type { MessageFaults } from "./message-monitor.js";
import type { UpstreamOptions } from "./options.js";
import type { ConvertDocument } from "./rest/convert-document.js";

/** The number of clients that servers may send requests to. */
export type Peers = "none" | "one" | "many";

export interface UpstreamsParts {
  readonly options: UpstreamOptions;
  /** The gateway's version, which is reported to servers. */
  readonly version?: string;
  /** The gateway's environment. Server processes receive only the safe part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder for the lock files and the output of running installations. */
  readonly installsFolder: string;
  readonly now: () => number;
  /** A connection that leaks memory is closed and replaced after this many uses. The default is 100,000. */
  readonly maxUses?: number;
  readonly random: () => number;
  readonly log: (message: string) => void;
  /** The folder for log files with the standard error of stdio servers. Without it, no log files are written. */
  readonly logFolder?: string;
  /** The secrets to redact, shared by all servers. Without it, each server has its own set. */
  readonly secrets?: Secrets;
  /** Converts the API documents of REST APIs into tools. */
  readonly convertDocument?: ConvertDocument;
  /** Provides the access tokens for requests to a remote server. Undefined for a server without sign-in. */
  readonly signIn?: (request: SignInRequest) => Promise<SignIn | undefined> | SignIn | undefined;
  /** The gateway's built-in tools, which are offered as a server. */
  readonly builtInTools?: () => Promise<readonly BuiltInTool[]>;
  /** Called when a server reports a changed tool list. Bursts are coalesced. */
  readonly onListChanged?: (server: string) => void;
  readonly onStateChange?: (server: string) => void;
}

export interface Upstreams {
  /**
   * Opens or shares the connection and calls the tool. Waits at most `startWaitMs` for the server to start, then fails
   * with UPSTREAM_STARTING while the start continues.
   */
  call(target: UpstreamTarget, call: UpstreamCall): Promise<CallResult>;
  /**
   * Requests the tool list over the open connection if there is one. Otherwise opens a connection for this request and
   * closes it afterwards, unless calls have begun to use it.
   */
  list(target: UpstreamTarget, signal?: AbortSignal): Promise<ServerListing>;
  /** Opens or shares the connection and keeps it open until it has been idle for `idleMs`. */
  open(target: UpstreamTarget, signal?: AbortSignal): Promise<void>;
  /** Sends a request other than a tool call over the shared connection. The server's response is returned unchanged. */
  request(target: UpstreamTarget, request: UpstreamRequest, signal?: AbortSignal): Promise<UpstreamAnswer>;
  /** The server's prompts, resources or templates. Undefined if they are unknown and no connection may be opened. */
  offers(target: UpstreamTarget, wanted: WantedOffers): Promise<readonly JsonObject[] | undefined>;
  /**
   * Reports changes of a resource across reconnections until `end` is called. `answer` is the server's response to the
   * subscription.
   */
  watch(target: UpstreamTarget, uri: string, onChange: () => void): Promise<Watching>;
  /**
   * Calls the listener when a server's prompts or resources change. Bursts are coalesced. Returns a function that
   * removes the listener.
   */
  onOffersChanged(listener: (server: string, kind: "prompts" | "resources") => void): () => void;
  /**
   * Announces a call, so that a connection that is opened to request the tool list stays open for the call. Returns a
   * function that withdraws the announcement.
   */
  expectCall(server: string): () => void;
  /** Whether the command of a stdio server has to install its package before the server can start. */
  needsInstallation(connection: ServerConnection): boolean;
  /**
   * Whether the server's process has used or requested processor time since `isProcessActive` was last called. Undefined
   * if that is unknown.
   */
  isProcessActive(server: string): boolean | undefined;
  state(server: string): UpstreamState;
  /** Declares how many clients servers may send requests to. Takes effect when a connection is opened. */
  expectPeers(peers: Exclude<Peers, "none">): void;
  /**
   * Closes the connection after its running calls; new calls open a new one. Resolves when the old connection is
   * closed.
   */
  drop(server: string): Promise<void>;
  /**
   * Applies a new configuration in one step: changed servers are dropped, the others stay connected. Returns the names
   * of the dropped servers.
   */
  adopt(next: NextUpstreams): readonly string[];
  /** What the server has sent so far that a correct server does not send. */
  messageFaults(server: string): MessageFaults;
  /** The last lines that a stdio server wrote to its standard error. */
  stderr(server: string): readonly string[];
  /** Closes all connections in parallel, within five seconds. */
  close(): Promise<void>;
}

export interface NextUpstreams {
  readonly options: UpstreamOptions;
  /**
   * The identity of each server by name, as `identityOf` returns it. A missing name means that the server was
   * removed.
   */
  readonly identities: ReadonlyMap<string, string>;
}

export interface UpstreamTarget {
  readonly name: string;
  /**
   * Resolves the connection: replaces its variables and reports secret values to `noteSecret`. May throw
   * CONFIGURATION_ERROR.
   */
  readonly connection: (noteSecret?: (value: string) => void) => Promise<ServerConnection> | ServerConnection;
  /** Identifies the connection's configuration; changes whenever that changes. The default is `identityOf`. */
  readonly identity?: () => string;
  /** The protocol era (before or since MCP 2026-07-28) that the server used in the previous session. */
  readonly eraHint?: Era;
  /** The actor whose sign-in is used. The default is the local user. */
  readonly actor?: string;
}

/** A call that has passed all checks: the context of its caller, and the prepared request. */
export interface UpstreamCall {
  readonly context: CallContext;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The schema as the server declared it: some arguments may have to be sent as HTTP headers as well. */
  readonly inputSchema?: JsonObject | undefined;
  /** The members of `_meta` to send to the server. */
  readonly meta?: JsonObject | undefined;
  /** Whether a user has confirmed exactly this call; the caller's own confirmation does not count. */
  readonly isConfirmed?: boolean | undefined;
  /** The HTTP operation to call. Set for a REST API only. */
  readonly operation?: RestOperation | undefined;
  /** The idle timeout. Every progress notification restarts it. */
  readonly timeoutMs: number;
  /**
   * Longest wait for a server that has to be started first; then the call fails with UPSTREAM_STARTING. The default is
   * `upstreams.startWaitMs` in the configuration.
   */
  readonly startWaitMs?: number | undefined;
  /** The total time limit of the call. */
  readonly maxTotalMs: number;
  /** Passes progress and log messages to the caller. Must not throw. Undefined if the caller does not want them. */
  readonly report?: ((event: CallEvent) => void) | undefined;
  /** The trace context of the gateway. A REST API receives it as a header. */
  readonly traceparent?: string | undefined;
  /**
   * Awaited immediately before the call is sent, after any wait in the queue. If it throws, the call fails with that
   * error.
   */
  readonly beforeSend?: (() => Promise<void> | undefined) | undefined;
}

export interface UpstreamRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly timeoutMs: number;
  /**
   * Longest wait for a server that has to be started first; then the request fails with UPSTREAM_STARTING. The default
   * is `upstreams.startWaitMs` in the configuration, but at most `timeoutMs`.
   */
  readonly startWaitMs?: number;
  /** The actor that the request is made for. Messages from the server during the request reach no other actor. */
  readonly actorId?: string;
  /** The client that the server may send requests to during this request. */
  readonly peer?: CallerPeer | undefined;
  /**
   * True if the request is not made for a single caller. Requests that the server sends meanwhile are attributed to the
   * other running calls.
   */
  readonly isShared?: boolean;
}

/** The server's response to a request: a result or an error. */
export type UpstreamAnswer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

export type OfferKind = "prompts" | "resources" | "templates";

/** A notification from a server about its prompts or resources. */
export type Notice =
  | { readonly kind: "changed"; readonly offers: "prompts" | "resources" }
  | { readonly kind: "updated"; readonly uri: string };

export interface WantedOffers {
  readonly kind: OfferKind;
  /** A cached list that is younger than this is returned without a request to the server. */
  readonly freshMs: number;
  /** Whether a connection may be opened for the list request. */
  readonly mayOpen: boolean;
}

export interface Watching {
  readonly answer: UpstreamAnswer;
  readonly end: () => void;
}

export type UpstreamState =
  | { readonly kind: "closed" }
  | {
      readonly kind: "starting";
      readonly since: number;
      readonly waiting?: number;
      /** Set while the command is still installing the server's package. */
      readonly isInstalling?: true;
    }
  | {
      readonly kind: "open";
      readonly since: number;
      readonly inFlight: number;
      /** The number of queued calls. */
      readonly waiting?: number;
      readonly era: Era;
    }
  | { readonly kind: "failed"; readonly reason: DiscoveryError; readonly retryAt: number };

export function isInstalling(state: UpstreamState): boolean {
  return state.kind === "starting" && state.isInstalling === true;
}
