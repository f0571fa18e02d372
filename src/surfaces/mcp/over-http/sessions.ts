import type { HttpSession } from "./session.js";

export interface SessionsParts {
  readonly most: number;
  readonly idleMs: number;
  readonly now: () => number;
}

/**
 * All open sessions. A session that is idle for too long is ended. If the maximum number of sessions is reached, an
 * idle session is ended for a new one. Sessions in use are never ended.
 */
export interface Sessions {
  /** Finds a session; undefined if it does not exist or has another owner. Callers cannot distinguish these cases. */
  find(id: string, owner: string): HttpSession | undefined;
  /**
   * Makes room for one more session, by ending an idle one if necessary. Returns false if the maximum number of
   * sessions, in total or per actor, is reached and all these sessions are in use. `opening`: the ids of actors whose
   * sessions are being opened.
   */
  hasRoom(actorId: string, opening?: readonly string[]): boolean;
  add(session: HttpSession): void;
  remove(id: string): void;
  sweep(): void;
  all(): readonly HttpSession[];
}

/** The maximum number of sessions for one actor: a quarter of all sessions is reserved for other actors. */
export function maxPerActor(most: number): number {
  return most - Math.floor(most / 4);
}

export function createSessions({ most, idleMs, now }: SessionsParts): Sessions {
  const byId = new Map<string, HttpSession>();
  const end = (session: HttpSession): void => {
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
      if (byId.size + opening.length < maxPerActor(most)) return true;
      sweep();
      const own = [...byId.values()].filter((session) => session.actorId === actorId);
      const isActorFull = own.length + opening.filter((one) => one === actorId).length >= maxPerActor(most);
      if (byId.size + opening.length < most && !isActorFull) return true;
      const oldest = longestIdle(isActorFull ? own : byId.values());
      if (oldest !== undefined) end(oldest);
      return oldest !== undefined;
    },
    add: (session) => void byId.set(session.id, session),
    remove: (id) => void byId.delete(id),
    sweep,
    all: () => [...byId.values()],
  };
}

/**
 * Finds the idle session to end: the longest idle one of the actor with the most sessions, so that an actor who opens
 * many sessions does not end those of others.
 */
function longestIdle(sessions: Iterable<HttpSession>): HttpSession | undefined {
  const byActor = new Map<string, HttpSession[]>();
  for (const session of sessions) {
    const own = byActor.get(session.actorId);
    if (own === undefined) byActor.set(session.actorId, [session]);
    else own.push(session);
  }
  const groups = [...byActor.values()].sort((one, other) => other.length - one.length);
  for (const group of groups) {
    let oldest: HttpSession | undefined;
    for (const one of group) {
      if (one.idleSince !== undefined && one.idleSince < (oldest?.idleSince ?? Number.POSITIVE_INFINITY)) oldest = one;
    }
    if (oldest !== undefined) return oldest;
  }
  return undefined;
}
