import { extractWWWAuthenticateParams, type FetchLike } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../../errors.js";
import { type LoginRequest, notAllowed, scopeIn, scopeRequired, signInRequired } from "./failures.js";
import type { SignIn } from "./sign-in.js";

export interface SignedFetchParts {
  readonly signIn: SignIn;
  /** The origin that tokens may be sent to. A request to any other origin contains no token. */
  readonly origin: string;
}

interface SendParts extends SignedFetchParts {
  readonly send: FetchLike;
  /** Called for every DiscoveryError. Returns the error to throw. */
  readonly failed: (error: DiscoveryError) => DiscoveryError;
}

export interface Signed {
  readonly response: Response;
  /** The token that was sent last. */
  readonly token?: string;
}

/**
 * Sends a request with the token. If the server rejects the token with 401, sends the request once more with another
 * token; a rejected request was not executed.
 */
export async function sendSigned(url: string | URL, init: RequestInit | undefined, parts: SendParts): Promise<Signed> {
  const { signIn, origin, send, failed } = parts;
  if (new URL(url).origin !== origin) return { response: await send(url, init) };
  const find = async (work: Promise<string | undefined>): Promise<string | undefined> => {
    try {
      return await orAborted(work, init?.signal);
    } catch (error) {
      throw error instanceof DiscoveryError ? failed(error) : error;
    }
  };
  const token = await find(signIn.token());
  const response = await send(url, withToken(init, token));
  if (response.status !== 401) return toSigned(response, token);
  const other = await find(signIn.another(token));
  if (other === undefined) return toSigned(response, token);
  await response.body?.cancel();
  return toSigned(await send(url, withToken(init, other)), other);
}

/** Why the server rejected the request, and what the user can do about it. */
export function refusalOf(login: LoginRequest, { response, token }: Signed): DiscoveryError {
  if (response.status === 401) return signInRequired(login, token !== undefined);
  const { error, scope } = extractWWWAuthenticateParams(response);
  return error === "insufficient_scope" ? scopeRequired({ ...login, scope: scopeIn(scope) }) : notAllowed(login);
}

function toSigned(response: Response, token: string | undefined): Signed {
  return token === undefined ? { response } : { response, token };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

/** Stops waiting when the caller aborts. The renewal continues for the other callers. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
