import type { KeyList, KeyProblem, KnownKey } from "../keys/known-key.js";

/** A snapshot of the keys, to verify many files. */
export interface SigningKeyring {
  find(keyId: string): KnownKey | undefined;
  /** Why a key in the folder is not used, or why the whole folder is not used. */
  problemOf(keyId: string): KeyProblem | undefined;
}

export function createSigningKeyring({ keys, problems }: KeyList): SigningKeyring {
  const known = new Map(keys.map((key) => [key.keyId, key]));
  return {
    find: (keyId) => known.get(keyId),
    problemOf: (keyId) => problems.find((problem) => problem.keyId === undefined || problem.keyId === keyId),
  };
}
