import { readRegularFile } from "../regular-file.js";

const MAX_BYTES = 4 * 1024 * 1024;

export type TextFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Reads a UTF-8 text file of at most 4 MiB, without its byte order mark. */
export async function readTextFile(file: string): Promise<TextFile> {
  try {
    return decodeUtf8(await readRegularFile(file, { maxBytes: MAX_BYTES }));
  } catch (error) {
    return toFailure(error);
  }
}

/** Decodes UTF-8 strictly: a file in another encoding is reported instead of being decoded to wrong characters. */
export function decodeUtf8(bytes: Uint8Array): TextFile {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { kind: "unreadable", reason: "is UTF-16 text; save it as UTF-8" };
  }
  if (bytes.includes(0)) {
    return { kind: "unreadable", reason: "contains NUL characters; save it as UTF-8 text" };
  }
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "unreadable", reason: "is not valid UTF-8 text" };
  }
}

function toFailure(error: unknown): TextFile {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
  if (code === "EISDIR" || code === "NOT_A_REGULAR_FILE")
    return { kind: "unreadable", reason: "is not a regular file" };
  if (code === "TOO_LARGE") return { kind: "unreadable", reason: "is larger than 4 MiB" };
  return { kind: "unreadable", reason: `could not be read (${code})` };
}
