import { isJsonObject } from "../../model/json.js";

/** Everything that is needed to call as somebody and to go on doing so. Kept sealed. */
export interface Credential {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  /** How clients may prove who they are, in the issuer's words; empty when it did not say. */
  readonly authMethods: readonly string[];
  readonly client: OAuthClient;
  /** What the tokens are for (RFC 8707). */
  readonly resource: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  /** By the time of day; left out when the issuer did not say. */
  readonly expiresAt?: number;
}

export interface OAuthClient {
  readonly id: string;
  /** Only of a client that registered itself: what a configuration says is never stored. */
  readonly secret?: string;
  readonly authMethod?: string;
  /** The secret, where it has one, is that of the configuration. */
  readonly isConfigured?: boolean;
}

/** Clocks differ, and a request takes its time. */
const MARGIN_MS = 30_000;

/** It has ended or is about to. Short lives have short margins. */
export function isEnding({ expiresAt }: Credential, now: number, savedAt: number): boolean {
  if (expiresAt === undefined) return false;
  return now >= expiresAt - Math.min(MARGIN_MS, Math.max(0, expiresAt - savedAt) / 10);
}

export function toText(credential: Credential): string {
  return JSON.stringify(credential);
}

/** Undefined for what an earlier or later version wrote in another form. */
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
