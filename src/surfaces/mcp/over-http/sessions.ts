import type { Session } from "./session.js";

export interface SessionsParts {
  readonly most: number;
  readonly idleMs: number;
  readonly now: () => number;
}

/** The sessions that there are. What is idle too long or too many is ended; what is in use never is. */
export interface Sessions {
  /** Undefined when there is none, or it is somebody else's: nobody can tell the two apart. */
  find(id: string, owner: string): Session | undefined;
  /**
   * False when every place, or every one that the actor may take, is taken by a session in use. `opening`: the actors
   * whose sessions are about to be added.
   */
  hasRoom(actorId: string, opening?: readonly string[]): boolean;
  add(session: Session): void;
  remove(id: string): void;
  sweep(): void;
  all(): readonly Session[];
}

/** A part of all places, however many there are, is left to others than the one who uses most of them. */
export function mostOfOne(most: number): number {
  return most - Math.floor(most / 4);
}

export function createSessions({ most, idleMs, now }: SessionsParts): Sessions {
  const byId = new Map<string, Session>();
  const end = (session: Session): void => {
    byId.delete(session.id);
    void session.close().catch(() => undefined);
  };
  const sweep = (): void => {
    const before = now() - idleMs;
    for (const session of byId.values()) if ((session.idleSince ?? Number.POSITIVE_INFINITY) <= before) end(session);
  };

  return {
    find(id, owner) {
      const session = byId.get(id);
      return session?.owner === owner ? session : undefined;
    },
    hasRoom(actorId, opening = []) {
      if (byId.size + opening.length < mostOfOne(most)) return true;
      sweep();
      const own = [...byId.values()].filter((session) => session.actorId === actorId);
      const isAtMost = own.length + opening.filter((one) => one === actorId).length >= mostOfOne(most);
      if (byId.size + opening.length < most && !isAtMost) return true;
      const oldest = longestIdle(isAtMost ? own : byId.values());
      if (oldest !== undefined) end(oldest);
      return oldest !== undefined;
    },
    add: (session) => void byId.set(session.id, session),
    remove: (id) => void byId.delete(id),
    sweep,
    all: () => [...byId.values()],
  };
}

/** Of the actor with the most sessions, so that whoever opens many ends their own. */
function longestIdle(sessions: Iterable<Session>): Session | undefined {
  const byActor = new Map<string, Session[]>();
  for (const session of sessions) {
    const own = byActor.get(session.actorId);
    if (own === undefined) byActor.set(session.actorId, [session]);
    else own.push(session);
  }
  const groups = [...byActor.values()].sort((one, other) => other.length - one.length);
  for (const group of groups) {
    let oldest: Session | undefined;
    for (const one of group) {
      if (one.idleSince !== undefined && one.idleSince < (oldest?.idleSince ?? Number.POSITIVE_INFINITY)) oldest = one;
    }
    if (oldest !== undefined) return oldest;
  }
  return undefined;
}
