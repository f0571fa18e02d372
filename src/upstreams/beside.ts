// What one server has beside tools, over all of its connections: asked for through them, remembered between them, watched
// as long as somebody wants that.
import { DiscoveryError } from "../errors.js";
import type { JsonObject } from "../model/json.js";
import { type Lend, lendingPeer } from "./asking-back/lending-peer.js";
import { createListChanges } from "./list-changes.js";
import { createOffers } from "./offers.js";
import type { UpstreamOptions } from "./options.js";
import type { Relay } from "./relay.js";
import type { Schedule } from "./schedule.js";
import type { Session } from "./session.js";
import type { Notice, OfferKind, UpstreamAnswer, UpstreamRequest, UpstreamTarget, WantedOffers } from "./types.js";
import type { Watches } from "./watches.js";

/** How long one piece of work may wait for a server to start. */
export interface Patience {
  readonly timeoutMs: number;
  readonly startWaitMs?: number | undefined;
}

export interface Work<Result> extends Patience {
  /** `lend`: makes room for another until the result is called. */
  readonly run: (session: Session, lend: Lend) => Promise<Result>;
}

export interface BesideParts {
  readonly server: string;
  readonly options: UpstreamOptions;
  readonly now: () => number;
  readonly schedule: Schedule;
  readonly watches: Watches;
  readonly onOffersChanged: (kind: "prompts" | "resources") => void;
  /** Lends the connection, opened first if need be, within the limits of calls. */
  readonly use: <Result>(target: UpstreamTarget, work: Work<Result>, signal?: AbortSignal) => Promise<Result>;
  /** Of the open connection, if there is one. */
  readonly session: () => Session | undefined;
}

export interface Beside {
  request(target: UpstreamTarget, request: UpstreamRequest, signal?: AbortSignal): Promise<UpstreamAnswer>;
  offers(target: UpstreamTarget, wanted: WantedOffers): Promise<readonly JsonObject[] | undefined>;
  watch(target: UpstreamTarget, uri: string): Promise<UpstreamAnswer>;
  unwatch(uri: string): void;
  /** The server said something by itself. */
  heard(notice: Notice): void;
  /** A connection is there that will be kept. */
  opened(session: Session): void;
  stop(): void;
}

const KINDS = { prompts: ["prompts"], resources: ["resources", "templates"] } as const satisfies Record<
  string,
  readonly OfferKind[]
>;

export function createBeside(parts: BesideParts): Beside {
  const { server, options, now, schedule, watches, use } = parts;
  const offers = createOffers({ now, timeoutMs: () => options.listTimeoutMs });
  const announce = (kind: "prompts" | "resources") =>
    createListChanges({ now, schedule, onChange: () => parts.onOffersChanged(kind) });
  const changes = { prompts: announce("prompts"), resources: announce("resources") };

  const needRelay = ({ relay }: Session): Relay => {
    if (relay !== undefined) return relay;
    throw new DiscoveryError("INVALID_REQUEST", `${server} has nothing beside tools.`, { server });
  };
  let isReopened = false;
  const watchOver = (session: Session, uri: string): Promise<UpstreamAnswer> => needRelay(session).watch(uri);

  return {
    request(target, request, signal) {
      const { peer } = request;
      const run: Work<UpstreamAnswer>["run"] = (session, lend) =>
        needRelay(session).request(
          peer === undefined ? request : { ...request, peer: lendingPeer(peer, lend) },
          signal,
        );
      return use(target, { ...request, run }, signal);
    },

    async offers(target, { kind, freshMs, mayOpen }) {
      if (offers.isFresh(kind, freshMs) || !(mayOpen || parts.session() !== undefined)) return offers.known(kind);
      const patience = { timeoutMs: options.listTimeoutMs };
      return await offers.read(kind, (work) => use(target, { ...patience, run: ({ relay }) => work(relay) }));
    },

    watch: (target, uri) =>
      use(target, { timeoutMs: options.listTimeoutMs, run: (session) => watchOver(session, uri) }),

    unwatch: (uri) => parts.session()?.relay?.unwatch(uri),

    heard(notice) {
      if (notice.kind === "updated") return watches.tell(notice.uri);
      offers.forget(KINDS[notice.offers]);
      changes[notice.offers].notify();
    },

    opened(session) {
      const { relay } = session;
      if (relay === undefined) return;
      for (const kind of ["prompts", "resources"] as const) {
        // What nobody could be told before, because nothing is started for a list, can be had now.
        if (relay.capabilities[kind] === true && offers.known(kind) === undefined) changes[kind].notify();
      }
      const isAgain = isReopened;
      isReopened = true;
      for (const uri of watches.uris) {
        // What changed while nobody listened is not known.
        relay.watch(uri).then(
          () => (isAgain ? watches.tell(uri) : undefined),
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
