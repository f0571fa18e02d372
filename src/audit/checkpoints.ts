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
  /** Vouches for the chain as it is now, unless that was done. `own`: what this process wrote last. */
  sign(own: Mark | undefined): Promise<void>;
}

/**
 * The newest checkpoint also goes into a file outside the database: who cuts off the end of the chain can remove the
 * checkpoints in the database with it. A chain that lacks what was vouched for is never vouched for again by itself:
 * a new signature would hide the hole.
 */
export function createCheckpoints({ chain, file, key, now, warn }: CheckpointParts): Checkpoints {
  let signer: Signer | undefined;
  let hasWarned = false;

  const doubt = (reason: string): void => {
    if (!hasWarned) warn(`The audit record is not signed any more: ${reason}. Run \`anygpt mcp audit --verify\`.`);
    hasWarned = true;
  };

  const isHeld = async ({ seq, hash }: Mark): Promise<boolean> => {
    const [found] = await chain.read({ after: seq - 1, limit: 1 });
    if (found?.seq === seq) return found.hash === hash;
    // What moved into an archive is for the verification to look at.
    return (await chain.start()).seq >= seq;
  };

  /** Who has replaced the key and moved the file away starts anew: what the old key vouched for nobody can tell. */
  const newestOurs = async ({ keyId }: Signer): Promise<Checkpoint | undefined> =>
    (await chain.checkpoints()).findLast((checkpoint) => checkpoint.keyId === keyId);

  /** Another process may have signed more meanwhile, and its file been replaced by ours: the last writer mends it. */
  const publish = async (checkpoint: Checkpoint, by: Signer): Promise<void> => {
    for (let newest = checkpoint; ; ) {
      const known = await readCheckpointFile(file);
      if (known.kind !== "read" || known.checkpoint.seq < newest.seq) await writeCheckpointFile(file, newest);
      const later = await newestOurs(by);
      if (later === undefined || later.seq <= newest.seq || !by.isSigned(later)) return;
      newest = later;
    }
  };

  return {
    async sign(own) {
      const known = await readCheckpointFile(file);
      const head = await chain.head();
      if (known.kind === "missing" && head.seq === 0) return;
      signer ??= createSigner(await key());
      if (known.kind === "unreadable") return doubt(`${file} cannot be read`);
      const vouched = known.kind === "read" ? known.checkpoint : await newestOurs(signer);
      if (vouched !== undefined) {
        const { seq } = vouched;
        if (!signer.isSigned(vouched)) return doubt(`the checkpoint of record ${seq} is not signed with our key`);
        if (!(await isHeld(vouched))) return doubt(`record ${seq} is not the one that was signed`);
        if (known.kind === "read" && seq === head.seq) return;
      }
      if (own !== undefined && !(await isHeld(own))) return doubt(`record ${own.seq} is not the one that was written`);
      const checkpoint = signer.sign(head, now());
      await chain.addCheckpoint(checkpoint);
      await publish(checkpoint, signer);
    },
  };
}
