import type { KeyList, KeyProblem, KnownKey } from "../keys/known-key.js";

/** The keys as they were at one moment, for many files. */
export interface Keyring {
  find(keyId: string): KnownKey | undefined;
  /** Why a key that is here is not used, or why none is. */
  problemOf(keyId: string): KeyProblem | undefined;
}

export function createKeyring({ keys, problems }: KeyList): Keyring {
  const known = new Map(keys.map((key) => [key.keyId, key]));
  return {
    find: (keyId) => known.get(keyId),
    problemOf: (keyId) => problems.find((problem) => problem.keyId === undefined || problem.keyId === keyId),
  };
}
