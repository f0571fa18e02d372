import { DiscoveryError } from "../../errors.js";
import { LARGEST_BYTES } from "../format/tool-file.js";
import { isToolId } from "../ids/tool-id.js";
import { KEY_ID, keyIdOf, parseKeyBytes } from "../keys/ed25519.js";
import { type KeyLine, parseKeyLine, toKeyLine } from "../keys/key-line.js";

/** Tool files, byte by byte as they were signed, with the public keys that they were signed with. */
export interface Bundle {
  readonly files: readonly BundledFile[];
  readonly keys: readonly BundledKey[];
}

export interface BundledFile {
  readonly toolId: string;
  readonly bytes: Buffer;
}

export interface BundledKey extends KeyLine {
  readonly keyId: string;
}

/** A file of a bundle in the form in which it travels: `tools/{tool_id}.yaml` or `keys/{key id}.pub`. */
export interface Member {
  readonly name: string;
  readonly bytes: Buffer;
}

export const MOST_MEMBERS = 10_000;
export const MOST_BUNDLE_BYTES = 64 * 1024 * 1024;
/** The two lines above a body take less, and so does a key. */
export const MOST_MEMBER_BYTES = LARGEST_BYTES + 512;

export function toMembers({ files, keys }: Bundle): Member[] {
  return [
    ...files.map(({ toolId, bytes }) => ({ name: `tools/${toolId}.yaml`, bytes })),
    ...keys.map((key) => ({ name: `keys/${key.keyId}.pub`, bytes: Buffer.from(`${toKeyLine(key)}\n`) })),
  ].sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
}

/** Everything that is no tool file and no key by its name refuses the whole: nothing travels along unseen. */
export function fromMembers(members: readonly Member[], origin: string): Bundle {
  const files: BundledFile[] = [];
  const keys: BundledKey[] = [];
  const seen = new Set<string>();
  for (const { name, bytes } of members) {
    if (seen.has(name)) throw notABundle(origin, `it holds ${shown(name)} twice`);
    seen.add(name);
    const [, toolId] = /^tools\/([^/]+)\.yaml$/.exec(name) ?? [];
    const [, keyId = ""] = /^keys\/([^/]+)\.pub$/.exec(name) ?? [];
    if (isToolId(toolId)) files.push({ toolId, bytes });
    else if (KEY_ID.test(keyId)) keys.push(toKey(keyId, bytes, origin));
    else throw notABundle(origin, `it holds ${shown(name)}, which is neither a tool file nor a key`);
  }
  if (files.length === 0) throw notABundle(origin, "it holds no tool file");
  return { files, keys };
}

function toKey(keyId: string, bytes: Buffer, origin: string): BundledKey {
  const line = parseKeyLine(bytes.toString("utf8"));
  const key = line && parseKeyBytes(line.publicKey);
  if (line === undefined || key === undefined) throw notABundle(origin, `keys/${keyId}.pub is no public key`);
  if (keyIdOf(key) !== keyId) throw notABundle(origin, `keys/${keyId}.pub holds another key than its name says`);
  return { ...line, keyId };
}

export function notABundle(origin: string, reason: string, cause?: unknown): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${origin} is no set of tool files: ${reason}.`, {
    hint: "Get one from whoever has the tools, made with `anygpt mcp tools export`.",
    cause,
  });
}

const LONGEST_SHOWN = 100;

function shown(name: string): string {
  return JSON.stringify(name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name);
}
