import type { ResultRecord } from "../../src/store/result-records.js";

/** A record of the store with a payload of 100 bytes. */
export const storedResult = (id: string, more: Partial<ResultRecord> = {}): ResultRecord => ({
  id,
  actor: "ann",
  server: "s",
  tool: "t",
  createdAt: 1000,
  expiresAt: 1000 + 86_400_000,
  bytes: 300,
  sha256: "0".repeat(64),
  payload: Buffer.alloc(100, id),
  ...more,
});
