import { readRegularFile } from "../util/regular-file.js";

export type Bytes =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  /** The file was removed before it could be opened. */
  | { readonly kind: "gone" }
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "too-large" };

/** Reads the bytes of a regular file. Symbolic links are followed. */
export async function readBytes(path: string, limit: number): Promise<Bytes> {
  try {
    return { kind: "bytes", bytes: await readRegularFile(path, { maxBytes: limit }) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    if (code === "ENOENT") return { kind: "gone" };
    if (code === "TOO_LARGE") return { kind: "too-large" };
    const isOther = code === "EISDIR" || code === "NOT_A_REGULAR_FILE";
    return { kind: "unreadable", reason: isOther ? "it is not a regular file" : code };
  }
}
