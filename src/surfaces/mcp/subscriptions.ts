// Addresses that clients want to hear about come in; servers are asked to tell, once for each address however many want
// it, and every change goes out under the address that the client knows.
import type { Offerings } from "../../metatools/offerings/offerings.js";
import type { UpstreamAnswer, Watching } from "../../upstreams/types.js";
import { isOwn } from "./resources.js";

/** A wish by its owner: a stream of the modern era, or the one session of a legacy client. */
export type Owner = string | number;

export interface Subscriptions {
  add(uri: string, owner: Owner, offerings: Offerings): Promise<UpstreamAnswer>;
  remove(uri: string, owner: Owner): void;
  /** All that the owner wanted. */
  removeAll(owner: Owner): void;
  close(): void;
}

interface Subscription {
  readonly owners: Set<Owner>;
  readonly watching: Promise<Watching>;
}

/** More than anybody looks at; each costs a server something. */
const MOST = 1000;
const DONE: UpstreamAnswer = { kind: "result", result: {} };
const TOO_MANY: UpstreamAnswer = {
  kind: "error",
  code: -32_602,
  message: `A client can subscribe to ${MOST} resources at most.`,
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

  const begin = (uri: string, offerings: Offerings): Subscription => {
    // Ours do not change.
    const resource = isOwn(uri) ? undefined : offerings.resource(uri);
    const none = { answer: DONE, end: () => undefined };
    const watching = resource === undefined ? Promise.resolve(none) : offerings.watch(resource, () => onUpdated(uri));
    const subscription = { owners: new Set<Owner>(), watching };
    all.set(uri, subscription);
    const giveUp = (): void => end(uri, subscription);
    watching.then(({ answer }) => (answer.kind === "error" ? giveUp() : undefined), giveUp);
    return subscription;
  };

  const remove = (uri: string, owner: Owner): void => {
    const subscription = all.get(uri);
    if (subscription?.owners.delete(owner) === true && subscription.owners.size === 0) end(uri, subscription);
  };

  return {
    async add(uri, owner, offerings) {
      if (all.size >= MOST && !all.has(uri)) return TOO_MANY;
      const subscription = all.get(uri) ?? begin(uri, offerings);
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
