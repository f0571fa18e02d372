import { rename } from "node:fs/promises";
import type { AuditChain, Checkpoint, Mark } from "./chain.js";
import {
  type CheckpointFile,
  createCheckpointFile,
  readCheckpointFile,
  writeCheckpointFile,
} from "./checkpoint-file.js";
import { createSigner, type Signer } from "./signer.js";

/** The log is signed at the latest when it has this many records after the newest checkpoint. */
export const MAX_UNSIGNED_RECORDS = 1000;

/** The actor of records that the gateway writes about itself. */
const GATEWAY = "gateway";

export interface CheckpointParts {
  readonly chain: AuditChain;
  readonly file: string;
  readonly key: () => Promise<Uint8Array>;
  readonly now: () => number;
  readonly newId: () => string;
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
export function createCheckpoints({ chain, file, key, now, newId, warn }: CheckpointParts): Checkpoints {
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

  /**
   * Moves a torn file away and writes the newest checkpoint of the store in its place. A note in the chain says so,
   * because a user who removes records could also damage the file. Returns nothing if there is no such checkpoint.
   */
  const restore = async (by: Signer): Promise<CheckpointFile> => {
    const inStore = await chain.checkpoints();
    const newest = inStore.findLast(({ keyId }) => keyId === by.keyId);
    const isNewLog =
      inStore.length === 0 && (await chain.start()).seq === 0 && (await chain.head()).seq <= MAX_UNSIGNED_RECORDS;
    const isTrusted = newest !== undefined && by.isSigned(newest) && (await isInChain(newest));
    if (!isTrusted && !isNewLog) return { kind: "torn" };
    const timestamp = new Date(now()).toISOString();
    const subject = isTrusted ? `checkpoint of record ${newest.seq}` : "no checkpoint was signed before";
    const note = { action: "restore_checkpoint_file", subject, by: GATEWAY, actor_id: GATEWAY };
    await chain.append([{ kind: "note", request_id: newId(), timestamp, ...note }]);
    await rename(file, `${file}.torn`);
    warn(`The checkpoint file ${file} was incomplete and was restored. The incomplete file is ${file}.torn.`);
    if (!isTrusted) return { kind: "missing" };
    await writeCheckpointFile(file, newest);
    return { kind: "read", checkpoint: newest };
  };

  return {
    async sign(lastWritten) {
      if (isStopped) return;
      let known = await readCheckpointFile(file);
      if (known.kind === "torn") known = await restore((signer ??= createSigner(await key())));
      const head = await chain.head();
      if (known.kind === "missing" && head.seq === 0) return;
      signer ??= createSigner(await key());
      if (known.kind === "unreadable" || known.kind === "torn") return stopSigning(`${file} cannot be read`);
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
