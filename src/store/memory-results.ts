import {
  type FoundResult,
  MAX_REMEMBERED_LOSSES,
  type ResultLoss,
  type ResultQuotas,
  type ResultRecord,
  type ResultRecords,
} from "./result-records.js";

interface LostResult extends Pick<ResultRecord, "actor" | "server" | "tool"> {
  readonly loss: ResultLoss;
}

/** Results in the memory of this process, for a gateway that cannot write to its store. */
export function createMemoryResults(): ResultRecords {
  // Both maps are in the order of insertion: the first entry is the oldest.
  const stored = new Map<string, ResultRecord>();
  const lost = new Map<string, LostResult>();

  const lose = ({ id, actor, server, tool }: ResultRecord, loss: ResultLoss): void => {
    stored.delete(id);
    lost.set(id, { actor, server, tool, loss });
    const [oldest] = lost.keys();
    if (lost.size > MAX_REMEMBERED_LOSSES && oldest !== undefined) lost.delete(oldest);
  };

  const removeExpired = (now: number): void => {
    for (const record of stored.values()) if (record.expiresAt <= now) lose(record, "expired");
  };

  const dropOldest = (maxResults: number, maxBytes: number, actor?: string): void => {
    const records = [...stored.values()].filter((record) => actor === undefined || record.actor === actor);
    let results = records.length;
    let bytes = records.reduce((sum, { payload }) => sum + payload.byteLength, 0);
    for (const record of records) {
      if (results <= maxResults && bytes <= maxBytes) return;
      lose(record, "dropped");
      results -= 1;
      bytes -= record.payload.byteLength;
    }
  };

  return {
    async add(record, quotas) {
      if (!fits(record, quotas)) return false;
      removeExpired(record.createdAt);
      stored.set(record.id, record);
      dropOldest(quotas.maxResultsPerActor, quotas.maxBytesPerActor, record.actor);
      dropOldest(quotas.maxResults, quotas.maxBytes);
      return true;
    },
    async find(id, actor, now): Promise<FoundResult | undefined> {
      const record = stored.get(id);
      if (record?.actor === actor) {
        const { server, tool } = record;
        return record.expiresAt <= now ? { kind: "lost", loss: "expired", server, tool } : { kind: "stored", record };
      }
      const known = lost.get(id);
      if (known?.actor !== actor) return undefined;
      const { loss, server, tool } = known;
      return { kind: "lost", loss, server, tool };
    },
    removeExpired: async (now) => removeExpired(now),
  };
}

function fits({ payload }: ResultRecord, { maxBytes, maxBytesPerActor }: ResultQuotas): boolean {
  return payload.byteLength <= Math.min(maxBytes, maxBytesPerActor);
}
