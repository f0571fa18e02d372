// A small file with the number and hash of the newest audit record. It is outside the database, so that a loss of the
// newest records (a restored or damaged database, deleted records, a power failure) is noticed even before the next
// checkpoint. The file is written after the records, so it never names a record that was not written.
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { readRegularTextSync } from "../util/regular-file.js";
import type { AuditMark } from "./audit-records.js";

export interface NewestRecord {
  /** Undefined if there is no file, or if its content is not valid. */
  read(): AuditMark | undefined;
  /** Without waiting for the disk. Does nothing if the file cannot be written: it is then only older. */
  write(mark: AuditMark): void;
  close(): void;
}

export function newestRecordFile(storeFile: string): string {
  return `${storeFile}-newest.json`;
}

export function readNewestRecord(file: string): AuditMark | undefined {
  try {
    const { seq, hash } = JSON.parse(readRegularTextSync(file, { maxBytes: 4096 })) as Partial<Record<string, unknown>>;
    if (!Number.isSafeInteger(seq) || typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
    return { seq: Number(seq), hash };
  } catch {
    return undefined;
  }
}

// The last two are undefined on Windows, which is no flag in the expression below.
const { O_RDWR, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants;
/** Every text has this length, so that one write replaces the previous text and needs no further space on the disk. */
const LENGTH = 128;

export function openNewestRecord(file: string): NewestRecord {
  let descriptor: number | undefined;
  return {
    read: () => readNewestRecord(file),
    write({ seq, hash }) {
      try {
        descriptor ??= openSync(file, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW, 0o600);
        writeSync(descriptor, `${JSON.stringify({ seq, hash }).padEnd(LENGTH - 1)}\n`, 0);
      } catch {
        // The records are in the database; only a loss of these records would not be noticed.
      }
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}
