import { DiscoveryError } from "../../errors.js";
import { MAX_TOOL_FILE_BYTES } from "../format/tool-file.js";
import { isToolId } from "../ids/tool-id.js";
import { KEY_ID, keyIdOf, parseKeyBytes } from "../keys/ed25519.js";
import { type KeyLine, parseKeyLine, toKeyLine } from "../keys/key-line.js";

/** A set of tool files, exactly as they were signed, and the public keys that signed them. */
export interface Bundle {
  readonly files: readonly BundledFile[];
  readonly keys: readonly BundledKey[];
}

export interface BundledFile {
  readonly toolId: string;
  readonly bytes: Buffer;
}

/** A public key in a bundle of tool files. */
export interface BundledKey extends KeyLine {
  readonly keyId: string;
}

/** One file in the archive of a bundle: `tools/{tool_id}.yaml` or `keys/{key id}.pub`. */
export interface BundleMember {
  readonly name: string;
  readonly bytes: Buffer;
}

export const MAX_MEMBERS = 10_000;
export const MAX_BUNDLE_BYTES = 64 * 1024 * 1024;
/**
 * The largest file in an archive: a tool file with its two signature lines, which have at most 512 bytes. Keys are
 * smaller.
 */
export const MAX_MEMBER_BYTES = MAX_TOOL_FILE_BYTES + 512;

export function toMembers({ files, keys }: Bundle): BundleMember[] {
  return [
    ...files.map(({ toolId, bytes }) => ({ name: `tools/${toolId}.yaml`, bytes })),
    ...keys.map((key) => ({ name: `keys/${key.keyId}.pub`, bytes: Buffer.from(`${toKeyLine(key)}\n`) })),
  ].sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
}

/** Parses the files of an archive. Rejects the whole bundle if one of them is neither a tool file nor a key. */
export function fromMembers(members: readonly BundleMember[], origin: string): Bundle {
  const files: BundledFile[] = [];
  const keys: BundledKey[] = [];
  const seen = new Set<string>();
  for (const { name, bytes } of members) {
    if (seen.has(name)) throw notABundle(origin, `it contains ${shown(name)} twice`);
    seen.add(name);
    const [, toolId] = /^tools\/([^/]+)\.yaml$/.exec(name) ?? [];
    const [, keyId = ""] = /^keys\/([^/]+)\.pub$/.exec(name) ?? [];
    if (isToolId(toolId)) files.push({ toolId, bytes });
    else if (KEY_ID.test(keyId)) keys.push(toKey(keyId, bytes, origin));
    else throw notABundle(origin, `it contains ${shown(name)}, which is neither a tool file nor a key`);
  }
  if (files.length === 0) throw notABundle(origin, "it contains no tool file");
  return { files, keys };
}

function toKey(keyId: string, bytes: Buffer, origin: string): BundledKey {
  const line = parseKeyLine(bytes.toString("utf8"));
  const key = line && parseKeyBytes(line.publicKey);
  if (line === undefined || key === undefined) throw notABundle(origin, `keys/${keyId}.pub is not a public key`);
  if (keyIdOf(key) !== keyId)
    throw notABundle(origin, `keys/${keyId}.pub contains a key whose id differs from the file name`);
  return { ...line, keyId };
}

export function notABundle(origin: string, reason: string, cause?: unknown): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${origin} is not a valid set of tool files: ${reason}.`, {
    hint: "Ask the author to create the set with `anygpt mcp tools export`.",
    cause,
  });
}

const MAX_SHOWN_LENGTH = 100;

function shown(name: string): string {
  return JSON.stringify(name.length > MAX_SHOWN_LENGTH ? `${name.slice(0, MAX_SHOWN_LENGTH)}…` : name);
}
