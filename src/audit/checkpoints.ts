import type { AuditChain, Checkpoint, Mark } from "./chain.js";
import { createCheckpointFile, readCheckpointFile, writeCheckpointFile } from "./checkpoint-file.js";
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
   * Signs the newest record of the chain, unless it is signed already. `lastWritten` is the last record that this
   * process wrote; if it is missing from the chain, nothing is signed.
   */
  sign(lastWritten: Mark | undefined): Promise<void>;
}

/**
 * Signs the audit log. The newest checkpoint is also written to a file outside the database, because an attacker who
 * deletes the newest records can delete the checkpoints in the database too. If a signed record is missing or changed,
 * this process never signs the chain again: a new signature would hide the change.
 */
export function createCheckpoints({ chain, file, key, now, warn }: CheckpointParts): Checkpoints {
  let signer: Signer | undefined;
  let hasWarned = false;
  let isStopped = false;

  const stopSigning = (reason: string): void => {
    if (!hasWarned) warn(`The audit log is no longer signed: ${reason}. Run \`anygpt mcp audit --verify\`.`);
    hasWarned = true;
  };

  const stopForever = (reason: string): void => {
    isStopped = true;
    stopSigning(reason);
  };

  const isInChain = async ({ seq, hash }: Mark): Promise<boolean> => {
    const [found] = await chain.read({ after: seq - 1, limit: 1 });
    if (found?.seq === seq) return found.hash === hash;
    // A record before the start of the chain was moved into an archive file and counts as present here. Only the
    // verification reads archive files.
    return (await chain.start()).seq >= seq;
  };

  /**
   * Returns the newest checkpoint that was signed with the current key. Checkpoints of other keys are ignored: an
   * operator who replaces the signing key and moves the checkpoint file away starts a new series.
   */
  const newestOfKey = async ({ keyId }: Signer): Promise<Checkpoint | undefined> =>
    (await chain.checkpoints()).findLast((checkpoint) => checkpoint.keyId === keyId);

  /**
   * Writes the checkpoint to the file. Another process may add a newer checkpoint to the store meanwhile, so this
   * repeats until the file has the newest one.
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
      if (isStopped) return;
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
          return stopForever(`record ${seq} is missing or was changed after it was signed`);
        if (known.kind === "read" && seq === head.seq) return;
      }
      if (lastWritten !== undefined && !(await isInChain(lastWritten)))
        return stopForever(`record ${lastWritten.seq} is missing or was changed after it was written`);
      // First write a checkpoint of the chain's start. Otherwise, if this process is killed before its first checkpoint
      // is in the file, the verification would report a missing file.
      if (known.kind === "missing" && signed === undefined)
        await createCheckpointFile(file, signer.sign(await chain.start(), now()));
      const checkpoint = signer.sign(head, now());
      await chain.addCheckpoint(checkpoint);
      await publish(checkpoint, signer);
    },
  };
}
