/** Who wants to hear of changes of which resources of one server. It outlives the server's connections. */
export interface Watches {
  readonly uris: readonly string[];
  /** Gives what ends it: true when nobody watches the resource any more. */
  add(uri: string, listener: () => void): () => boolean;
  /** A server may tell of a part of what is watched: then that has changed. */
  tell(uri: string): void;
}

export function createWatches(): Watches {
  const listeners = new Map<string, Set<() => void>>();
  return {
    get uris() {
      return [...listeners.keys()];
    },
    add(uri, listener) {
      const own = listeners.get(uri) ?? new Set();
      listeners.set(uri, own);
      // The same function may watch twice.
      const entry = (): void => listener();
      own.add(entry);
      return () => {
        if (!own.delete(entry) || own.size > 0) return false;
        return listeners.get(uri) === own && listeners.delete(uri);
      };
    },
    tell(uri) {
      for (const [watched, own] of listeners) if (isPart(uri, watched)) for (const listener of own) listener();
    },
  };
}

function isPart(uri: string, whole: string): boolean {
  return uri === whole || uri.startsWith(whole.endsWith("/") ? whole : `${whole}/`);
}
