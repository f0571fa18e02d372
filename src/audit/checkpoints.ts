import type { AuditChain, Checkpoint, Mark } from "./chain.js";
import { readCheckpointFile, writeCheckpointFile } from "./checkpoint-file.js";
import { createSigner, type Signer } from "./signer.js";

export interface CheckpointParts {
  readonly chain: AuditChain;
  readonly file: string;
  readonly key: () => Promise<Uint8Array>;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

export interface Checkpoints {
  /**
   * Signs the current head of the chain, unless it is signed already. `lastWritten`: the last record that this process
   * wrote.
   */
  sign(lastWritten: Mark | undefined): Promise<void>;
}

/**
 * The newest checkpoint is also written to a file outside the database, because an attacker who deletes the newest
 * records can delete the checkpoints in the database too. If a signed record is missing or changed, this process never
 * signs the chain again: a new signature would hide the change.
 */
export function createCheckpoints({ chain, file, key, now, warn }: CheckpointParts): Checkpoints {
  let signer: Signer | undefined;
  let hasWarned = false;

  const stopSigning = (reason: string): void => {
    if (!hasWarned) warn(`The audit log is no longer signed: ${reason}. Run \`anygpt mcp audit --verify\`.`);
    hasWarned = true;
  };

  const isInChain = async ({ seq, hash }: Mark): Promise<boolean> => {
    const [found] = await chain.read({ after: seq - 1, limit: 1 });
    if (found?.seq === seq) return found.hash === hash;
    // The record was moved into an archive, which only the verification reads.
    return (await chain.start()).seq >= seq;
  };

  /**
   * Ignores checkpoints of other keys: an operator who replaces the key and moves the file away starts a new series.
   */
  const newestOfKey = async ({ keyId }: Signer): Promise<Checkpoint | undefined> =>
    (await chain.checkpoints()).findLast((checkpoint) => checkpoint.keyId === keyId);

  /**
   * Another process may publish a newer checkpoint between the read and the write: repeat until the file has the newest
   * one.
   */
  const publish = async (checkpoint: Checkpoint, by: Signer): Promise<void> => {
    for (let newest = checkpoint; ; ) {
      const known = await readCheckpointFile(file);
      if (known.kind !== "read" || known.checkpoint.seq < newest.seq) await writeCheckpointFile(file, newest);
      const later = await newestOfKey(by);
      if (later === undefined || later.seq <= newest.seq || !by.isSigned(later)) return;
      newest = later;
    }
  };

  return {
    async sign(lastWritten) {
      const known = await readCheckpointFile(file);
      const head = await chain.head();
      if (known.kind === "missing" && head.seq === 0) return;
      signer ??= createSigner(await key());
      if (known.kind === "unreadable") return stopSigning(`${file} cannot be read`);
      const signed = known.kind === "read" ? known.checkpoint : await newestOfKey(signer);
      if (signed !== undefined) {
        const { seq } = signed;
        if (!signer.isSigned(signed))
          return stopSigning(`the checkpoint of record ${seq} is not signed with the current key`);
        if (!(await isInChain(signed)))
          return stopSigning(`record ${seq} is missing or was changed after it was signed`);
        if (known.kind === "read" && seq === head.seq) return;
      }
      if (lastWritten !== undefined && !(await isInChain(lastWritten)))
        return stopSigning(`record ${lastWritten.seq} is missing or was changed after it was written`);
      // If this process is killed before it publishes its first checkpoint, the verification must not report a missing file.
      if (known.kind === "missing" && signed === undefined)
        await writeCheckpointFile(file, signer.sign(await chain.start(), now()));
      const checkpoint = signer.sign(head, now());
      await chain.addCheckpoint(checkpoint);
      await publish(checkpoint, signer);
    },
  };
}
