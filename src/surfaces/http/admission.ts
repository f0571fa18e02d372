// The options in force come in; who may address the gateway, from where, and as whom, goes out.
import type { IncomingMessage } from "node:http";
import type { Environment } from "../../util/net/proxy.js";
import type { Failures } from "./failures.js";
import { type Guard, LOOPBACK_NAMES } from "./guard.js";
import { createIdentify, type Identify, type VerifySigned } from "./identity.js";
import type { HttpOptions } from "./options.js";
import { createSourceOf, type Source } from "./source.js";

export interface Admission {
  readonly options: HttpOptions;
  readonly guard: Guard;
  readonly sourceOf: (incoming: IncomingMessage) => Source;
  readonly identify: Identify;
}

export interface AdmissionsParts {
  /** The token of this machine. */
  readonly token: string;
  readonly failures: Failures;
  /** The address it listens on, when it does. */
  readonly bound: () => string | undefined;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly log: (message: string) => void;
  /** The variables that name a proxy and certificate authorities. */
  readonly env: Environment;
  /** Others may call than before. */
  readonly onChange: () => void;
}

export interface Admissions {
  /** Made once for the same options. */
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

/** Loaded where an authorization server is trusted, and nowhere else. */
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
