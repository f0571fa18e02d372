// Resource subscriptions of one client. Each resource is subscribed to only once at its server, even if several streams
// of the client want it. Updates are reported with the URI that the client knows.
import type { PromptsAndResources } from "../../metatools/prompts-and-resources/prompts-and-resources.js";
import type { UpstreamAnswer, Watching } from "../../upstreams/types.js";
import { isBuiltInResource } from "./resources.js";

/**
 * The owner of subscriptions: a stream of a modern client (MCP 2026-07-28 and later), or the session of a legacy
 * client.
 */
export type Owner = string | number;

export interface Subscriptions {
  add(uri: string, owner: Owner, promptsAndResources: PromptsAndResources): Promise<UpstreamAnswer>;
  remove(uri: string, owner: Owner): void;
  /** Removes all subscriptions of the owner. */
  removeAll(owner: Owner): void;
  close(): void;
}

interface Subscription {
  readonly owners: Set<Owner>;
  readonly watching: Promise<Watching>;
}

/** The maximum number of subscriptions. It limits the load that one client can put on servers. */
const MAX_SUBSCRIPTIONS = 1000;
const DONE: UpstreamAnswer = { kind: "result", result: {} };
const TOO_MANY: UpstreamAnswer = {
  kind: "error",
  code: -32_602,
  message: `A client can subscribe to at most ${MAX_SUBSCRIPTIONS} resources.`,
};

export function createSubscriptions(onUpdated: (uri: string) => void): Subscriptions {
  const all = new Map<string, Subscription>();

  const end = (uri: string, subscription: Subscription): void => {
    if (all.get(uri) === subscription) all.delete(uri);
    subscription.watching.then(
      (watching) => watching.end(),
      () => undefined,
    );
  };

  const begin = (uri: string, promptsAndResources: PromptsAndResources): Subscription => {
    // The gateway's own resources never change, so they are not watched.
    const resource = isBuiltInResource(uri) ? undefined : promptsAndResources.resource(uri);
    const unchanging = { answer: DONE, end: () => undefined };
    const watching =
      resource === undefined ? Promise.resolve(unchanging) : promptsAndResources.watch(resource, () => onUpdated(uri));
    const subscription = { owners: new Set<Owner>(), watching };
    all.set(uri, subscription);
    const drop = (): void => end(uri, subscription);
    watching.then(({ answer }) => (answer.kind === "error" ? drop() : undefined), drop);
    return subscription;
  };

  const remove = (uri: string, owner: Owner): void => {
    const subscription = all.get(uri);
    if (subscription?.owners.delete(owner) === true && subscription.owners.size === 0) end(uri, subscription);
  };

  return {
    async add(uri, owner, promptsAndResources) {
      if (all.size >= MAX_SUBSCRIPTIONS && !all.has(uri)) return TOO_MANY;
      const subscription = all.get(uri) ?? begin(uri, promptsAndResources);
      subscription.owners.add(owner);
      return (await subscription.watching).answer;
    },
    remove,
    removeAll(owner) {
      for (const uri of all.keys()) remove(uri, owner);
    },
    close() {
      for (const [uri, subscription] of all) end(uri, subscription);
    },
  };
}
