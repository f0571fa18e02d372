import type { DiscoveryError } from "../errors.js";
import type { CallerPeer, CallEvent, CallResult } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { RestOperation } from "../model/operation.js";
import type { Connection, Era, ServerListing } from "../model/server.js";
import type { Secrets } from "../util/secrets.js";
import type { OwnTool } from "./own-tool.js";
import type { SignIn, SignInRequest } from "./oauth/sign-in.js";
import type { UpstreamOptions } from "./options.js";
import type { ConvertDocument } from "./rest/convert-document.js";

/** Whose clients servers may ask something: nobody's, one client's, or those of several. */
export type Peers = "none" | "one" | "many";

export interface UpstreamsParts {
  readonly options: UpstreamOptions;
  /** The gateway's version, which servers are told. */
  readonly version?: string;
  /** The gateway's environment; children get only the safe part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where installations that are under way are noted, and what they write is kept. */
  readonly installsFolder: string;
  readonly now: () => number;
  /** How often a connection that wears is used before it is replaced; by default so often that it matters to nobody. */
  readonly mostUses?: number;
  readonly random: () => number;
  readonly log: (message: string) => void;
  /** The folder for what stdio servers write to standard error; without it nothing is kept in files. */
  readonly logFolder?: string;
  /** The gateway's; without them each server has its own. */
  readonly secrets?: Secrets;
  /** Reads the documents of REST APIs. */
  readonly convertDocument?: ConvertDocument;
  /** Gives the requests to a remote server their tokens; undefined for a server that nobody signs in to. */
  readonly signIn?: (request: SignInRequest) => Promise<SignIn | undefined> | SignIn | undefined;
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
  /** Asks what is no call over the connection that calls share. What the server answers passes unchanged. */
  request(target: UpstreamTarget, request: UpstreamRequest, signal?: AbortSignal): Promise<UpstreamAnswer>;
  /** What the server has beside tools; undefined when that is not known and nobody may connect to find out. */
  offers(target: UpstreamTarget, wanted: WantedOffers): Promise<readonly JsonObject[] | undefined>;
  /** Tells of changes of a resource over all connections to come, until `end`; the answer is the server's to the wish. */
  watch(target: UpstreamTarget, uri: string, onChange: () => void): Promise<Watching>;
  /** The listener hears when a server has other prompts or resources; storms arrive coalesced. Gives what ends it. */
  onOffersChanged(listener: (server: string, kind: "prompts" | "resources") => void): () => void;
  /** A call of the server is about to come: a connection that is opened to list its tools stays open for it. Gives what ends the wait. */
  expectCall(server: string): () => void;
  /** Whether the server's process has had or wanted a processor since this was last asked; undefined where nobody can tell. */
  isStirring(server: string): boolean | undefined;
  state(server: string): UpstreamState;
  /** From now on there may be calls whose clients can be asked: servers are told so when a connection is opened. */
  expectPeers(peers: Exclude<Peers, "none">): void;
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
  /** What tells this connection from another of the same name; by default the connection itself. */
  readonly identity?: () => string;
  /** The era that the server spoke last time. */
  readonly eraHint?: Era;
  /** For whom it is called: whose sign-in counts. Left out, it is the person at this machine. */
  readonly actor?: string;
}

export interface UpstreamCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** As the server declared it: some arguments may have to travel in headers as well. */
  readonly inputSchema?: JsonObject | undefined;
  readonly meta?: JsonObject | undefined;
  /** How a REST API is asked. */
  readonly operation?: RestOperation | undefined;
  /** Longest silence; every progress report starts it anew. */
  readonly timeoutMs: number;
  /** Longest wait for a server that has to be started first; the configuration's when left out. */
  readonly startWaitMs?: number | undefined;
  /** Longest duration in all. */
  readonly maxTotalMs: number;
  readonly onEvent?: ((event: CallEvent) => void) | undefined;
  /** For whom the call is made: what a server says beside its answers reaches nobody else. */
  readonly actorId?: string | undefined;
  /** Whom the server may ask something meanwhile. */
  readonly peer?: CallerPeer | undefined;
  /** The least severe log messages that are wanted; left out, what the server sends unasked. */
  readonly logLevel?: string | undefined;
  /** Ours, of the trace that the call is a part of: a REST API gets it as a header. */
  readonly traceparent?: string | undefined;
  /** Awaited right before the call is sent, however long it waited for that; what it throws is the call's outcome. */
  readonly beforeSend?: (() => Promise<void> | undefined) | undefined;
}

export interface UpstreamRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly timeoutMs: number;
  /** Longest wait for a server that has to be started first; the configuration's when left out. */
  readonly startWaitMs?: number;
  /** For whom it is made: what a server says meanwhile reaches nobody else. */
  readonly actorId?: string;
  /** Whom the server may ask something meanwhile. */
  readonly peer?: CallerPeer;
  /** It is for all: what the server asks meanwhile belongs to whoever else is under way. */
  readonly isShared?: boolean;
}

/** What a server said. An error is an answer too. */
export type UpstreamAnswer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

export type OfferKind = "prompts" | "resources" | "templates";

/** What a server says by itself of what it has beside tools. */
export type Notice =
  | { readonly kind: "changed"; readonly offers: "prompts" | "resources" }
  | { readonly kind: "updated"; readonly uri: string };

export interface WantedOffers {
  readonly kind: OfferKind;
  /** What is remembered for less than this is good enough. */
  readonly freshMs: number;
  /** Whether a connection may be opened for it. */
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
      /** The command is still installing the server's package. */
      readonly isInstalling?: true;
    }
  | {
      readonly kind: "open";
      readonly since: number;
      readonly inFlight: number;
      /** Calls in line. */
      readonly waiting?: number;
      readonly era: Era;
    }
  | { readonly kind: "failed"; readonly reason: DiscoveryError; readonly retryAt: number };

export function isInstalling(state: UpstreamState): boolean {
  return state.kind === "starting" && state.isInstalling === true;
}
