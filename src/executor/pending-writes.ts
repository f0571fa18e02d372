/** Failed writes of idempotency keys. They are repeated before the next key is read. */
export interface PendingWrites {
  /** Performs a write. If it fails, the write remains pending and the error is thrown. */
  write(change: () => Promise<unknown>): Promise<void>;
  /** Adds a write that the next `flush` performs. */
  add(change: () => Promise<unknown>): void;
  /** Performs all pending writes; throws at the first one that fails. */
  flush(): Promise<void>;
}

/** Create one per open store: pending writes must survive a reload of the configuration. */
export function createPendingWrites(): PendingWrites {
  const pending = new Set<() => Promise<unknown>>();
  let flushing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    for (const change of pending) {
      await change();
      pending.delete(change);
    }
  };

  return {
    async write(change) {
      try {
        await change();
      } catch (error) {
        pending.add(change);
        throw error;
      }
    },
    add: (change) => void pending.add(change),
    async flush() {
      if (pending.size === 0) return;
      flushing ??= writeAll().finally(() => (flushing = undefined));
      await flushing;
    },
  };
}
