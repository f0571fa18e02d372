/** Who wants to hear of changes of which resources of one server. It outlives the server's connections. */
export interface Watches {
  readonly uris: readonly string[];
  /** Gives what ends it: true when nobody watches the resource any more. */
  add(uri: string, listener: () => void): () => boolean;
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
      for (const listener of listeners.get(uri) ?? []) listener();
    },
  };
}
