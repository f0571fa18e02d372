// Manages the signing keys: the user's own keys and the trusted keys of others. Creates, lists, trusts and revokes
// keys, and signs with them. Never returns a private key.
import { z } from "zod";
import { DiscoveryError } from "../../errors.js";
import { createKeyPair, KEY_ID, keyIdOf, parseKeyBytes, signWith } from "./ed25519.js";
import {
  type KeyFolder,
  overlapMs as overlap,
  type PrivateRecord,
  readKeyFolder,
  fileErrorReason,
  writeKeyFile,
} from "./key-files.js";
import { keyName, parseKeyLine, publicKeyText, toKeyLine } from "./key-line.js";
import { type KeyList, type KnownKey, type SigningKey, standingOf } from "./known-key.js";

/** By default, how long the previous key remains valid after a new one is created. */
export const OVERLAP_MS = 30 * 24 * 60 * 60_000;

const offered = z.strictObject({
  keyId: z.string().regex(KEY_ID).optional(),
  publicKey: publicKeyText,
  name: keyName,
  notAfter: z.iso.datetime().optional(),
});

/** A public key of another user that is to be trusted. */
export type OfferedKey = z.input<typeof offered>;

export interface NewKey {
  readonly name: string;
  /** How long the user's previous key remains valid. */
  readonly overlapMs?: number;
}

export interface Keys {
  /** Returns the user's newest valid key; undefined if there is none. */
  active(): Promise<SigningKey | undefined>;
  /** Returns the user's key with this id, if it is valid and its private key is available. */
  signing(keyId: string): Promise<SigningKey | undefined>;
  /** Creates a key for the user, which becomes the active one. */
  create(key: NewKey): Promise<KnownKey>;
  list(): Promise<KeyList>;
  find(keyId: string): Promise<KnownKey | undefined>;
  /** Trusts a key, given as a line from `exportLine` or as an object. */
  trust(key: string | OfferedKey): Promise<KnownKey>;
  /** Revokes a key permanently: it cannot be trusted again. */
  revoke(keyId: string): Promise<KnownKey>;
  exportLine(keyId: string): Promise<string>;
}

export function openKeys(folder: string, now: () => number): Keys {
  const list = async (): Promise<KeyList> => {
    const content = await readKeyFolder(folder);
    return { keys: toKnownKeys(content), problems: content.problems };
  };
  const find = async (keyId: string) => (await list()).keys.find((key) => key.keyId === keyId);
  const get = async (keyId: string): Promise<KnownKey> => (await find(keyId)) ?? throwUnknown(keyId);
  const timestamp = () => new Date(now()).toISOString();

  return {
    list,
    find,
    async active() {
      const content = await readKeyFolder(folder);
      const [newest] = toKnownKeys(content)
        .filter((key) => key.canSign && standingOf(key, now()) === "good")
        .sort((a, b) => compareAge(b, a));
      const record = newest && content.privates.get(newest.keyId);
      return record && toSigningKey(record);
    },
    async signing(keyId) {
      const content = await readKeyFolder(folder);
      const isGood = toKnownKeys(content).some((key) => key.keyId === keyId && standingOf(key, now()) === "good");
      const record = content.privates.get(keyId);
      return isGood && record !== undefined ? toSigningKey(record) : undefined;
    },
    async create({ name, overlapMs = OVERLAP_MS }) {
      if (!overlap.safeParse(overlapMs).success) throwWrongOverlap();
      const { privateKey, ...pair } = createKeyPair();
      const { keyId, publicKey } = check({ ...pair, name });
      const createdAt = timestamp();
      const common = { keyId, publicKey, name, overlapMs };
      // Write the private key first: if the process ends before the second write, the key is still usable.
      await writing(folder, async () => {
        await writeKeyFile(folder, { kind: "private", record: { ...common, privateKey, createdAt } });
        await writeKeyFile(folder, { kind: "public", record: { ...common, trustedAt: createdAt } });
      });
      return await get(keyId);
    },
    async trust(given) {
      const { keyId, publicKey, name, notAfter } = check(typeof given === "string" ? parseLine(given) : given);
      const known = await find(keyId);
      if (known?.revokedAt !== undefined) throwRevoked(known);
      if (known?.isOwn === true) return known;
      const record = {
        keyId,
        publicKey,
        name,
        trustedAt: timestamp(),
        ...(notAfter === undefined ? {} : { notAfter }),
      };
      await writing(folder, () => writeKeyFile(folder, { kind: "public", record }));
      const trusted = await get(keyId);
      return trusted.revokedAt === undefined ? trusted : throwRevoked(trusted);
    },
    async revoke(keyId) {
      const known = await get(keyId);
      if (known.revokedAt !== undefined) return known;
      const record = { keyId, revokedAt: timestamp() };
      await writing(folder, () => writeKeyFile(folder, { kind: "revoked", record }));
      return await get(keyId);
    },
    async exportLine(keyId) {
      return toKeyLine(await get(keyId));
    },
  };
}

/** Combines the files of the key folder to a list of keys, oldest first. */
function toKnownKeys({ privates, publics, revoked }: KeyFolder): KnownKey[] {
  const own = [...publics.values()].flatMap(({ overlapMs, trustedAt: createdAt, keyId }) =>
    overlapMs === undefined ? [] : [{ keyId, createdAt, overlapMs }],
  );
  const makers = [...new Map([...own, ...privates.values()].map((each) => [each.keyId, each])).values()];
  const ids = [...new Set([...privates.keys(), ...publics.keys()])];
  return ids
    .flatMap((keyId): KnownKey[] => {
      const mine = privates.get(keyId);
      const known = publics.get(keyId);
      const { publicKey, name } = mine ?? known ?? {};
      if (publicKey === undefined || name === undefined) return [];
      const trustedAt = mine?.createdAt ?? known?.trustedAt ?? "";
      const isOwn = mine !== undefined || known?.overlapMs !== undefined;
      const notAfter = isOwn ? endOf({ keyId, trustedAt }, makers) : known?.notAfter;
      const revokedAt = revoked.get(keyId);
      return [
        {
          keyId,
          publicKey,
          name,
          trustedAt,
          isOwn,
          canSign: mine !== undefined,
          ...(notAfter === undefined ? {} : { notAfter }),
          ...(revokedAt === undefined ? {} : { revokedAt }),
        },
      ];
    })
    .sort(compareAge);
}

/**
 * When a key of the user expires: as soon as a newer key has existed for the newer key's overlap time. The expiry is
 * computed, not stored, so that the newest key has no expiry even if several processes create keys concurrently. A
 * revoked newer key counts too.
 */
function endOf(
  key: Pick<KnownKey, "keyId" | "trustedAt">,
  makers: readonly Pick<PrivateRecord, "keyId" | "createdAt" | "overlapMs">[],
): string | undefined {
  const ends = makers
    .filter(({ keyId, createdAt }) => compareAge({ keyId, trustedAt: createdAt }, key) > 0)
    .map(({ createdAt, overlapMs }) => Date.parse(createdAt) + overlapMs);
  return ends.length === 0 ? undefined : new Date(Math.min(...ends)).toISOString();
}

function compareAge(a: Pick<KnownKey, "keyId" | "trustedAt">, b: Pick<KnownKey, "keyId" | "trustedAt">): number {
  const byTime = Date.parse(a.trustedAt) - Date.parse(b.trustedAt);
  return byTime === 0 ? Number(a.keyId > b.keyId) - Number(a.keyId < b.keyId) : byTime;
}

function toSigningKey({ keyId, name, privateKey }: PrivateRecord): SigningKey {
  return { keyId, name, sign: (message) => signWith(privateKey, message) };
}

function parseLine(line: string): OfferedKey {
  return parseKeyLine(line) ?? throwNotAKey("it is not a line `anygpt-ed25519 KEY NAME`");
}

/** Validates a key. Its id is computed from the key bytes; if an id is given, it must be the same. */
function check(given: OfferedKey) {
  const parsed = offered.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return throwNotAKey(`its ${issue?.path.join(".") || "content"} ${issue?.message ?? "is wrong"}`);
  }
  const bytes = parseKeyBytes(parsed.data.publicKey) ?? throwNotAKey("its publicKey is not a public key");
  const keyId = keyIdOf(bytes);
  if (parsed.data.keyId !== undefined && parsed.data.keyId !== keyId) {
    return throwNotAKey(`its id is ${keyId}, which differs from the given id`);
  }
  return { ...parsed.data, keyId };
}

async function writing(folder: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new DiscoveryError(
      "CONFIGURATION_ERROR",
      `The key could not be stored in ${folder}: ${fileErrorReason(error)}.`,
      {
        hint: "Make the folder writable for you alone (mode 700), or free disk space.",
        cause: error,
      },
    );
  }
}

function throwNotAKey(reason: string): never {
  throw new DiscoveryError("INVALID_REQUEST", `This is not a valid public key: ${reason}.`, {
    hint: "Ask the signer for the line that `anygpt mcp keys export` prints.",
  });
}

function throwWrongOverlap(): never {
  throw new DiscoveryError("INVALID_REQUEST", "The overlap with the previous key is out of range.", {
    hint: "Choose an overlap between 0 and ten years.",
  });
}

function throwUnknown(keyId: string): never {
  throw new DiscoveryError("INVALID_REQUEST", `No usable key has the id ${JSON.stringify(keyId)}.`, {
    hint: {
      action: "run-command",
      command: "anygpt mcp keys list",
      purpose: "see all keys and what is wrong with them",
    },
  });
}

function throwRevoked({ keyId, name }: KnownKey): never {
  throw new DiscoveryError(
    "INVALID_REQUEST",
    `The key ${keyId} (${name}) was revoked on this machine, which is permanent.`,
    {
      hint: "Ask for files that are signed with another key, and trust that one.",
      facts: { keyId },
    },
  );
}
