/** Identifies a sign-in: there is one per server name, server URL and actor. */
export interface CredentialKey {
  readonly server: string;
  /** Hash of the URL to which the credential may be sent. The store only compares it for equality. */
  readonly connection: string;
  readonly actor: string;
}

export interface StoredCredential extends CredentialKey {
  /** The authorization server that issued the credential. Only this authorization server may refresh it. */
  readonly issuer: string;
  readonly sealed: Uint8Array;
  /** Increases with every change and is never reused: a caller with an older version is out of date. */
  readonly version: number;
  readonly savedAt: number;
  /** Whether the issuer rejected the refresh. The credential is kept until a user removes it or signs in again. */
  readonly isRefused: boolean;
}

export interface CredentialDraft extends CredentialKey {
  readonly issuer: string;
  readonly sealed: Uint8Array;
  readonly now: number;
}

export interface RenewalRequest {
  /** The version of the credential that the caller wants to refresh. */
  readonly version: number;
  /** A random value that identifies this attempt to refresh. */
  readonly holder: string;
  readonly now: number;
  /**
   * The longest time in milliseconds for which the claim is valid. The claim also ends when its process ends, even by a
   * crash.
   */
  readonly ttlMs: number;
}

/** The right to replace a credential with a refreshed one. The store replaces only the version that was refreshed. */
export type RenewalRight = Pick<RenewalRequest, "version" | "holder">;

export type RenewalClaim =
  | { readonly kind: "claimed"; readonly credential: StoredCredential }
  /** Another process is refreshing the credential. */
  | { readonly kind: "held" }
  /** The stored version is not the one that the caller wants to refresh, or the credential was removed. */
  | { readonly kind: "changed"; readonly credential?: StoredCredential };

export interface CredentialRecords {
  find(key: CredentialKey): Promise<StoredCredential | undefined>;
  /** Returns the credentials of one server, or of all if `server` is undefined, sorted by server and actor. */
  list(server?: string): Promise<readonly StoredCredential[]>;
  /** Stores a new sign-in. It replaces the stored credential and invalidates every refresh in progress. */
  save(draft: CredentialDraft): Promise<StoredCredential>;
  /**
   * Claims the right to refresh a credential. Exactly one caller gets the claim, among all callers in all processes.
   */
  claim(key: CredentialKey, request: RenewalRequest): Promise<RenewalClaim>;
  /**
   * Replaces the credential with a refreshed one. Returns undefined and changes nothing if the credential was replaced
   * or removed in the meantime.
   */
  renew(draft: CredentialDraft, right: RenewalRight): Promise<StoredCredential | undefined>;
  /**
   * Records that the issuer rejected the refresh. Returns false and changes nothing if the version is no longer stored.
   */
  refuse(key: CredentialKey, right: RenewalRight): Promise<boolean>;
  /** Releases the claim without changing the credential. */
  release(key: CredentialKey, right: RenewalRight): Promise<void>;
  /** Removes a credential and returns it. */
  remove(key: CredentialKey): Promise<StoredCredential | undefined>;
}
