/** The listeners for changes of a server's resources. They outlive its connections. */
export interface Watches {
  readonly uris: readonly string[];
  /**
   * Adds a listener. Returns a function that removes it; that function returns true if it was the last listener for the
   * resource.
   */
  add(uri: string, listener: () => void): () => boolean;
  /** Notifies the listeners of a resource and of the resources that contain it by URI path. */
  notify(uri: string): void;
}

export function createWatches(): Watches {
  const listeners = new Map<string, Set<() => void>>();
  return {
    get uris() {
      return [...listeners.keys()];
    },
    add(uri, listener) {
      const entries = listeners.get(uri) ?? new Set();
      listeners.set(uri, entries);
      // Wrapped, because the same function may be added twice.
      const entry = (): void => listener();
      entries.add(entry);
      return () => {
        if (!entries.delete(entry) || entries.size > 0) return false;
        return listeners.get(uri) === entries && listeners.delete(uri);
      };
    },
    notify(uri) {
      for (const [watched, entries] of listeners) if (isPart(uri, watched)) for (const listener of entries) listener();
    },
  };
}

function isPart(uri: string, whole: string): boolean {
  return uri === whole || uri.startsWith(whole.endsWith("/") ? whole : `${whole}/`);
}
