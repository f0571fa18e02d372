import type { KeyList, KeyProblem, KnownKey } from "../keys/known-key.js";

/** A snapshot of the signing keys, for verifying many files. */
export interface SigningKeyring {
  find(keyId: string): KnownKey | undefined;
  /** Returns why this key, or the whole key folder, cannot be used; undefined if it can. */
  problemOf(keyId: string): KeyProblem | undefined;
}

export function createSigningKeyring({ keys, problems }: KeyList): SigningKeyring {
  const known = new Map(keys.map((key) => [key.keyId, key]));
  return {
    find: (keyId) => known.get(keyId),
    problemOf: (keyId) => problems.find((problem) => problem.keyId === undefined || problem.keyId === keyId),
  };
}
