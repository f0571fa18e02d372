/** Whose sign-in it is: the same name at another address is another server, and every actor signs in for itself. */
export interface CredentialKey {
  readonly server: string;
  /** Of the address that the credential may be sent to; the store only compares it. */
  readonly connection: string;
  readonly actor: string;
}

export interface StoredCredential extends CredentialKey {
  /** Who gave it out, and who alone may be asked to renew it. */
  readonly issuer: string;
  readonly sealed: Uint8Array;
  /** New with every change and never given twice: who knows an old one has been overtaken. */
  readonly version: number;
  readonly savedAt: number;
  /** Its issuer does not renew it any more. It is kept all the same: only a person removes it. */
  readonly isRefused: boolean;
}

export interface CredentialDraft extends CredentialKey {
  readonly issuer: string;
  readonly sealed: Uint8Array;
  readonly now: number;
}

export interface RenewalWish {
  /** What the caller wants to renew. */
  readonly version: number;
  /** New for every attempt. */
  readonly holder: string;
  readonly now: number;
  /** Longest that the right counts. It ends with its process too, however that ends. */
  readonly ttlMs: number;
}

/** The right to renew: a renewed credential is kept only in place of the version that it was made from. */
export type RenewalRight = Pick<RenewalWish, "version" | "holder">;

export type RenewalClaim =
  | { readonly kind: "claimed"; readonly credential: StoredCredential }
  /** Somebody who is alive renews it. */
  | { readonly kind: "held" }
  /** It is not what the caller wanted to renew, or is gone. */
  | { readonly kind: "changed"; readonly credential?: StoredCredential };

export interface Credentials {
  find(key: CredentialKey): Promise<StoredCredential | undefined>;
  /** By server and actor; of all servers when none is named. */
  list(server?: string): Promise<readonly StoredCredential[]>;
  /** A new sign-in takes the place of whatever is there, and of every renewal that is under way. */
  save(draft: CredentialDraft): Promise<StoredCredential>;
  /** Exactly one of any number of callers in any number of processes gets the right. */
  claim(key: CredentialKey, wish: RenewalWish): Promise<RenewalClaim>;
  /** Undefined when another credential has taken its place, or none: what is there stays. */
  renew(draft: CredentialDraft, right: RenewalRight): Promise<StoredCredential | undefined>;
  /** Notes that the issuer renews it no more. False when it is not that version any more: then nothing changes. */
  refuse(key: CredentialKey, right: RenewalRight): Promise<boolean>;
  /** Gives the right back with nothing changed. */
  release(key: CredentialKey, right: RenewalRight): Promise<void>;
  /** What was there. */
  remove(key: CredentialKey): Promise<StoredCredential | undefined>;
}
