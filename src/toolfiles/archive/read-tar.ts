import type { BundleMember } from "./bundle.js";

const BLOCK = 512;

/** The reason why bytes are not an archive from `toArchive`. The message continues a sentence that begins with "it". */
export class TarError extends Error {
  override readonly name = "TarError";
}

export interface TarLimits {
  readonly members: number;
  readonly memberBytes: number;
}

/**
 * Returns the regular files of a tar archive, as slices of `bytes`. It is strict, because two lenient readers could see
 * two different archives: no links, no folders, no extensions that rename the next file, no data after the end.
 */
export function readTar(bytes: Buffer, limits: TarLimits): BundleMember[] {
  const members: BundleMember[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const header = bytes.subarray(offset, offset + BLOCK);
    if (header.length < BLOCK) throw new TarError("it is truncated");
    if (isEmpty(header)) break;
    if (members.length >= limits.members) throw new TarError(`it contains more than ${limits.members} files`);
    const { name, size } = readHeader(header);
    if (size > limits.memberBytes) throw new TarError("it contains a file that is too large");
    const start = offset + BLOCK;
    if (start + size > bytes.length) throw new TarError("it is truncated");
    members.push({ name, bytes: bytes.subarray(start, start + size) });
    offset = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  if (!isEmpty(bytes.subarray(offset))) throw new TarError("it has data after its end");
  return members;
}

function readHeader(header: Buffer): { name: string; size: number } {
  if (readOctal(header, 148, 8) !== checksum(header)) throw new TarError("it is damaged");
  const kind = header.toString("latin1", 156, 157);
  if (kind !== "0" && kind !== "\0") throw new TarError("it contains entries that are not regular files");
  if (readText(header, 157, 100) !== "") throw new TarError("it contains a link");
  if (readText(header, 345, 155) !== "") throw new TarError("it contains a name that is too long");
  return { name: readText(header, 0, 100), size: readOctal(header, 124, 12) };
}

function readText(header: Buffer, start: number, length: number): string {
  const field = header.toString("latin1", start, start + length);
  const end = field.indexOf("\0");
  return end === -1 ? field : field.slice(0, end);
}

function readOctal(header: Buffer, start: number, length: number): number {
  const text = readText(header, start, length).trim();
  if (!/^[0-7]{1,11}$/.test(text)) throw new TarError("it is damaged");
  return Number.parseInt(text, 8);
}

/** The tar checksum: the sum of all header bytes, with spaces in place of the checksum field. */
function checksum(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

function isEmpty(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
