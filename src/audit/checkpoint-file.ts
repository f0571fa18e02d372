import { randomBytes } from "node:crypto";
import { link, rm } from "node:fs/promises";
import { isJsonObject } from "../model/json.js";
import { writePrivateFile } from "../util/private-files.js";
import { readRegularText } from "../util/regular-file.js";
import type { Checkpoint } from "./chain.js";

export type CheckpointFile =
  | { readonly kind: "missing" }
  /** The text is not JSON: the file was not completely written, or its end was lost. */
  | { readonly kind: "torn" }
  /** The file cannot be opened, or its JSON is not a checkpoint. */
  | { readonly kind: "unreadable" }
  | { readonly kind: "read"; readonly checkpoint: Checkpoint };

export async function readCheckpointFile(file: string): Promise<CheckpointFile> {
  let text: string;
  try {
    text = await readRegularText(file);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { kind: isMissing ? "missing" : "unreadable" };
  }
  try {
    const checkpoint = toCheckpoint(JSON.parse(text));
    return checkpoint === undefined ? { kind: "unreadable" } : { kind: "read", checkpoint };
  } catch {
    return { kind: "torn" };
  }
}

export async function writeCheckpointFile(file: string, checkpoint: Checkpoint): Promise<void> {
  await writePrivateFile(file, toText(checkpoint));
}

/** Does nothing if the file exists: another process may have written a newer checkpoint. */
export async function createCheckpointFile(file: string, checkpoint: Checkpoint): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString("hex")}.new`;
  await writePrivateFile(temporary, toText(checkpoint));
  try {
    await link(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

function toText({ seq, hash, at, keyId, signature }: Checkpoint): string {
  return `${JSON.stringify({ seq, hash, at, key_id: keyId, signature })}\n`;
}

function toCheckpoint(value: unknown): Checkpoint | undefined {
  if (!isJsonObject(value)) return undefined;
  const { seq, hash, at, key_id: keyId, signature } = value;
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(at)) return undefined;
  if (typeof hash !== "string" || typeof keyId !== "string" || typeof signature !== "string") return undefined;
  return { seq: Number(seq), hash, at: Number(at), keyId, signature };
}
