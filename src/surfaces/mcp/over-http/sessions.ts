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
  /** False when every place is taken by a session in use. */
  hasRoom(): boolean;
  add(session: Session): void;
  remove(id: string): void;
  sweep(): void;
  all(): readonly Session[];
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
    hasRoom() {
      if (byId.size < most) return true;
      sweep();
      if (byId.size < most) return true;
      const oldest = longestIdle(byId.values());
      if (oldest !== undefined) end(oldest);
      return oldest !== undefined;
    },
    add: (session) => void byId.set(session.id, session),
    remove: (id) => void byId.delete(id),
    sweep,
    all: () => [...byId.values()],
  };
}

/** Of the owner with the most sessions, so that whoever opens many ends their own. */
function longestIdle(sessions: Iterable<Session>): Session | undefined {
  const byOwner = new Map<string, Session[]>();
  for (const session of sessions) {
    const own = byOwner.get(session.owner);
    if (own === undefined) byOwner.set(session.owner, [session]);
    else own.push(session);
  }
  const groups = [...byOwner.values()].sort((one, other) => other.length - one.length);
  for (const group of groups) {
    let oldest: Session | undefined;
    for (const one of group) {
      if (one.idleSince !== undefined && one.idleSince < (oldest?.idleSince ?? Number.POSITIVE_INFINITY)) oldest = one;
    }
    if (oldest !== undefined) return oldest;
  }
  return undefined;
}
