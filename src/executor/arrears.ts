/** Changes of keys that the store could not take. They are made before anybody looks at a key again. */
export interface Arrears {
  /** Makes the change; one that fails is owed. */
  pay(change: () => Promise<unknown>): Promise<void>;
  /** To be made later, whatever became of it so far. */
  owe(change: () => Promise<unknown>): void;
  settle(): Promise<void>;
}

/** Lives as long as the store is open: a reload must not forget what is owed. */
export function createArrears(): Arrears {
  const owed = new Set<() => Promise<unknown>>();
  let settling: Promise<void> | undefined;

  const settleAll = async (): Promise<void> => {
    for (const change of owed) {
      await change();
      owed.delete(change);
    }
  };

  return {
    async pay(change) {
      try {
        await change();
      } catch (error) {
        owed.add(change);
        throw error;
      }
    },
    owe: (change) => void owed.add(change),
    async settle() {
      if (owed.size === 0) return;
      settling ??= settleAll().finally(() => (settling = undefined));
      await settling;
    },
  };
}
