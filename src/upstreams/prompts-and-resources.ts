// The prompts and resources of one server across its connections: requests, cached lists, and resource subscriptions.
import { DiscoveryError } from "../errors.js";
import type { JsonObject } from "../model/json.js";
import { type ReleaseSlot, slotReleasingPeer } from "./server-requests/slot-releasing-peer.js";
import { createListChanges } from "./list-changes.js";
import { createOffers } from "./prompt-and-resource-lists.js";
import type { UpstreamOptions } from "./options.js";
import type { Relay } from "./relay.js";
import type { Schedule } from "./schedule.js";
import type { UpstreamSession } from "./session.js";
import type { Notice, OfferKind, UpstreamAnswer, UpstreamRequest, UpstreamTarget, WantedOffers } from "./types.js";
import type { Watches } from "./watches.js";

/** How long a request may wait for a server to start. */
export interface StartWait {
  readonly timeoutMs: number;
  readonly startWaitMs?: number | undefined;
}

export interface ConnectionWork<Result> extends StartWait {
  /** `releaseSlot`: frees the slot of the call until the returned function is called. */
  readonly run: (session: UpstreamSession, releaseSlot: ReleaseSlot) => Promise<Result>;
}

export interface ServerPromptsAndResourcesParts {
  readonly server: string;
  readonly options: UpstreamOptions;
  readonly now: () => number;
  readonly schedule: Schedule;
  readonly watches: Watches;
  readonly onOffersChanged: (kind: "prompts" | "resources") => void;
  /** Runs the work on the server's connection within the limits for calls. Opens the connection if needed. */
  readonly use: <Result>(target: UpstreamTarget, work: ConnectionWork<Result>, signal?: AbortSignal) => Promise<Result>;
  /** The session of the open connection, if there is one. */
  readonly session: () => UpstreamSession | undefined;
}

export interface ServerPromptsAndResources {
  request(target: UpstreamTarget, request: UpstreamRequest, signal?: AbortSignal): Promise<UpstreamAnswer>;
  offers(target: UpstreamTarget, wanted: WantedOffers): Promise<readonly JsonObject[] | undefined>;
  watch(target: UpstreamTarget, uri: string): Promise<UpstreamAnswer>;
  unwatch(uri: string): void;
  /** Handles a notification from the server. */
  handleNotice(notice: Notice): void;
  /** Call this when a connection that will be kept open has been opened. */
  opened(session: UpstreamSession): void;
  stop(): void;
}

const KINDS = { prompts: ["prompts"], resources: ["resources", "templates"] } as const satisfies Record<
  string,
  readonly OfferKind[]
>;

export function createServerPromptsAndResources(parts: ServerPromptsAndResourcesParts): ServerPromptsAndResources {
  const { server, options, now, schedule, watches, use } = parts;
  const offers = createOffers({ now, timeoutMs: () => options.listTimeoutMs });
  const announce = (kind: "prompts" | "resources") =>
    createListChanges({ now, schedule, onChange: () => parts.onOffersChanged(kind) });
  const changes = { prompts: announce("prompts"), resources: announce("resources") };

  const requireRelay = ({ relay }: UpstreamSession): Relay => {
    if (relay !== undefined) return relay;
    throw new DiscoveryError("INVALID_REQUEST", `${server} has no prompts or resources.`, { server });
  };
  let wasOpened = false;
  const subscribe = (session: UpstreamSession, uri: string): Promise<UpstreamAnswer> =>
    requireRelay(session).watch(uri);

  return {
    request(target, request, signal) {
      const { peer } = request;
      const run: ConnectionWork<UpstreamAnswer>["run"] = (session, releaseSlot) =>
        requireRelay(session).request(
          peer === undefined ? request : { ...request, peer: slotReleasingPeer(peer, releaseSlot) },
          signal,
        );
      return use(target, { ...request, run }, signal);
    },

    async offers(target, { kind, freshMs, mayOpen }) {
      if (offers.isFresh(kind, freshMs) || !(mayOpen || parts.session() !== undefined)) return offers.known(kind);
      const wait = { timeoutMs: options.listTimeoutMs };
      return await offers.read(kind, (work) => use(target, { ...wait, run: ({ relay }) => work(relay) }));
    },

    watch: (target, uri) =>
      use(target, { timeoutMs: options.listTimeoutMs, run: (session) => subscribe(session, uri) }),

    unwatch: (uri) => parts.session()?.relay?.unwatch(uri),

    handleNotice(notice) {
      if (notice.kind === "updated") return watches.notify(notice.uri);
      offers.forget(KINDS[notice.offers]);
      changes[notice.offers].notify();
    },

    opened(session) {
      const { relay } = session;
      if (relay === undefined) return;
      for (const kind of ["prompts", "resources"] as const) {
        // A list that was never read counts as changed now: the server was not started only to read it.
        if (relay.capabilities[kind] === true && offers.known(kind) === undefined) changes[kind].notify();
      }
      const isReconnection = wasOpened;
      wasOpened = true;
      for (const uri of watches.uris) {
        // Changes while there was no connection are unknown, so a reopened connection counts as a change.
        relay.watch(uri).then(
          () => (isReconnection ? watches.notify(uri) : undefined),
          () => undefined,
        );
      }
    },

    stop() {
      changes.prompts.stop();
      changes.resources.stop();
    },
  };
}
