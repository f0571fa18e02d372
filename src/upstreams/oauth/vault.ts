// Encrypts credentials for the store with the key of this machine.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { deriveKey, type LocalKey } from "../../util/local-key.js";
import { type Credential, parseCredential, serializeCredential } from "./credential.js";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Identifies a credential by server, connection and actor. */
export interface Holding {
  readonly server: string;
  readonly connection: string;
  readonly actor: string;
}

/** A credential as the store keeps it: encrypted. */
export interface SealedCredential extends Holding {
  readonly issuer: string;
  readonly sealed: Uint8Array;
  readonly version: number;
  readonly savedAt: number;
  readonly isRefused: boolean;
}

export interface OpenCredential {
  readonly credential: Credential;
  readonly version: number;
  readonly savedAt: number;
  readonly isRefused: boolean;
}

export interface Draft extends Holding {
  readonly issuer: string;
  readonly sealed: Uint8Array;
  readonly now: number;
}

/** Identifies the claim of a process to renew one version of a credential. */
type ClaimId = { readonly version: number; readonly holder: string };

/** The storage that credentials need. `store/credentials.ts` documents the guarantees. */
export interface CredentialStore {
  find(key: Holding): Promise<SealedCredential | undefined>;
  list(server?: string): Promise<readonly SealedCredential[]>;
  save(draft: Draft): Promise<SealedCredential>;
  claim(
    key: Holding,
    request: ClaimId & { readonly now: number; readonly ttlMs: number },
  ): Promise<
    | { readonly kind: "claimed"; readonly credential: SealedCredential }
    | { readonly kind: "held" }
    | { readonly kind: "changed"; readonly credential?: SealedCredential }
  >;
  renew(draft: Draft, claimId: ClaimId): Promise<SealedCredential | undefined>;
  refuse(key: Holding, claimId: ClaimId): Promise<boolean>;
  release(key: Holding, claimId: ClaimId): Promise<void>;
  remove(key: Holding): Promise<SealedCredential | undefined>;
}

/** The file with the encryption key, readable only by its owner. */
export function credentialKeyFile(stateFolder: string): string {
  return join(stateFolder, "credentials.key");
}

export interface Vault {
  seal(holding: Holding, credential: Credential): Promise<Uint8Array>;
  /**
   * Decrypts a credential. Undefined if the data was modified, belongs to another `Holding` or issuer, or was encrypted
   * with another key.
   */
  open(stored: SealedCredential): Promise<OpenCredential | undefined>;
}

export function createVault(localKey: LocalKey): Vault {
  const key = async (): Promise<Buffer> => {
    try {
      return deriveKey(await localKey(), "credentials");
    } catch (error) {
      if (!(error instanceof DiscoveryError)) throw error;
      throw new DiscoveryError("CONFIGURATION_ERROR", error.message, { hint: error.hint, cause: error });
    }
  };
  return {
    async seal(holding, credential) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, await key(), nonce).setAAD(labelOf(holding, credential.issuer));
      const sealed = [cipher.update(serializeCredential(credential), "utf8"), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
    },
    async open(stored) {
      const text = decrypt(await key(), Buffer.from(stored.sealed), labelOf(stored, stored.issuer));
      const credential = text === undefined ? undefined : parseCredential(text);
      if (credential === undefined || credential.issuer !== stored.issuer) return undefined;
      const { version, savedAt, isRefused } = stored;
      return { credential, version, savedAt, isRefused };
    },
  };
}

/**
 * Additional authenticated data: an encrypted credential that is moved to another server, actor or issuer cannot be
 * decrypted there.
 */
function labelOf({ server, connection, actor }: Holding, issuer: string): Buffer {
  return Buffer.from(JSON.stringify([server, connection, actor, issuer]));
}

function decrypt(key: Buffer, bytes: Buffer, label: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(label).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}
