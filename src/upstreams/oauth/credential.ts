import { isJsonObject } from "../../model/json.js";

/** Everything that is needed to call a server as a signed-in user and to renew the tokens. It is stored encrypted. */
export interface Credential {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  /** The client authentication methods that the issuer supports. Empty if the issuer does not name any. */
  readonly authMethods: readonly string[];
  readonly client: OAuthClient;
  /** The resource that the tokens are issued for (RFC 8707). */
  readonly resource: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  /** When the access token expires, as wall-clock time in milliseconds. Absent if the issuer did not report it. */
  readonly expiresAt?: number;
}

export interface OAuthClient {
  readonly id: string;
  /** The secret of a dynamically registered client. A configured secret is never stored. */
  readonly secret?: string;
  readonly authMethod?: string;
  /** True if the client, and its secret if it has one, comes from the configuration. */
  readonly isConfigured?: boolean;
}

/**
 * How long before its expiry a token counts as expired, to allow for clock differences and the duration of a request.
 */
const MARGIN_MS = 30_000;

/** Whether the token has expired or is about to expire. For a short lifetime, the margin is proportionally shorter. */
export function expiresSoon({ expiresAt }: Credential, now: number, savedAt: number): boolean {
  if (expiresAt === undefined) return false;
  return now >= expiresAt - Math.min(MARGIN_MS, Math.max(0, expiresAt - savedAt) / 10);
}

export function serializeCredential(credential: Credential): string {
  return JSON.stringify(credential);
}

/** Returns undefined if another version stored the credential in another format. */
export function parseCredential(text: string): Credential | undefined {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value) || !isJsonObject(value["client"])) return undefined;
  const texts = [
    value["issuer"],
    value["tokenEndpoint"],
    value["resource"],
    value["accessToken"],
    value["client"]["id"],
  ];
  if (!texts.every((each) => typeof each === "string") || !Array.isArray(value["authMethods"])) return undefined;
  return value as unknown as Credential;
}
