// Determines from the HTTP options which hosts, origins and callers are allowed, and identifies the actor of each
// request.
import type { IncomingMessage } from "node:http";
import { CHALLENGE_HEADER, proofOfToken, servedEndpoint } from "../../util/gateway-proof.js";
import type { ProxyEnvironment } from "../../util/net/proxy.js";
import type { LoginThrottle } from "./login-throttle.js";
import { type Guard, LOOPBACK_NAMES } from "./guard.js";
import { createIdentify, type Identify, type VerifySigned } from "./identity.js";
import type { HttpOptions } from "./options.js";
import { createSourceOf, type RequestSource } from "./source.js";

export interface Admission {
  readonly options: HttpOptions;
  readonly guard: Guard;
  readonly sourceOf: (incoming: IncomingMessage) => RequestSource;
  readonly identify: Identify;
  /** The proof that this gateway knows the local user's token; undefined if the request does not ask for it. */
  readonly proofFor: (incoming: IncomingMessage) => string | undefined;
}

export interface AdmissionsParts {
  /** The bearer token of the local user, from the file `http.token`. */
  readonly token: string;
  readonly throttle: LoginThrottle;
  /** Returns the address on which the gateway listens; undefined until it listens. */
  readonly bound: () => string | undefined;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly log: (message: string) => void;
  /** The environment variables that configure an HTTP proxy and certificate authorities for outgoing requests. */
  readonly env: ProxyEnvironment;
  /** Called when the set of allowed callers has changed. */
  readonly onChange: () => void;
}

export interface Admissions {
  /** Returns the admission rules for the options. The result is cached as long as the options object is the same. */
  of(options: HttpOptions): Promise<Admission>;
  close(): void;
}

export function createAdmissions(parts: AdmissionsParts): Admissions {
  let last: { readonly admission: Promise<Admission>; readonly options: HttpOptions } | undefined;
  let closeKeys = (): void => undefined;

  const compile = async (options: HttpOptions): Promise<Admission> => {
    const signed = options.oauth === undefined ? undefined : await openVerify(options.oauth, parts);
    closeKeys();
    closeKeys = signed?.close ?? (() => undefined);
    const { hosts, origins, publicUrl, proxies } = options;
    const named = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
    const known = new Set<string>([...LOOPBACK_NAMES, ...hosts, ...named]);
    return {
      options,
      guard: {
        isHost: (host) => host === parts.bound() || known.has(host),
        origins: new Set(origins),
      },
      sourceOf: createSourceOf(proxies),
      identify: createIdentify({ ...parts, options: () => options, verify: () => signed?.verify }),
      proofFor: ({ headers, socket }) => proofOfToken(parts.token, headers[CHALLENGE_HEADER], servedEndpoint(socket)),
    };
  };

  return {
    of(options) {
      if (last?.options === options) return last.admission;
      const isOther = last !== undefined && callersOf(last.options) !== callersOf(options);
      last = { options, admission: compile(options) };
      if (isOther) parts.onChange();
      return last.admission;
    },
    close: () => closeKeys(),
  };
}

function callersOf({ tokens, oauth }: HttpOptions): string {
  return JSON.stringify([tokens, oauth]);
}

/** Creates the verifier of signed tokens. Its code is loaded only if an authorization server is configured. */
async function openVerify(
  options: NonNullable<HttpOptions["oauth"]>,
  { now, elapsed, log, env }: AdmissionsParts,
): Promise<{ readonly verify: VerifySigned; readonly close: () => void }> {
  const [{ createVerify }, { createIssuerKeys }] = await Promise.all([
    import("./oauth/verify.js"),
    import("./oauth/keys.js"),
  ]);
  const keys = createIssuerKeys({ options, elapsed, env });
  return { verify: createVerify({ options, keys: keys.find, now, log }), close: () => keys.close() };
}
