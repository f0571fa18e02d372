// Failures of servers come in and are kept in the store, so that not every process asks a server that has just failed.
import { DiscoveryError, type ErrorCode, ERRORS, toDiscoveryError } from "../errors.js";
import { isJsonObject } from "../model/json.js";
import type { ServerKey } from "./pin-store.js";

/** The last attempt to ask a server for its tools, which failed. */
export interface ServerFailure {
  readonly error: DiscoveryError;
  readonly failedAt: number;
  /** Failures in a row. */
  readonly count: number;
}

/** What this asks of the place where failures are kept. */
export interface FailureStore {
  list(): Promise<readonly (ServerKey & { readonly failedAt: number; readonly text: string })[]>;
  write(
    entry: ServerKey & { readonly failedAt: number; readonly text: string; readonly forgetBefore: number },
  ): Promise<void>;
  remove(key: ServerKey): Promise<void>;
}

/** Failures as all processes see them. It never rejects: a failure that is not remembered is found out again. */
export interface Failures {
  /** By name, of the servers with the given connections. */
  read(keys: readonly ServerKey[]): Promise<ReadonlyMap<string, ServerFailure>>;
  write(key: ServerKey, failure: ServerFailure): Promise<void>;
  remove(key: ServerKey): Promise<void>;
}

const FORMAT = 1;
const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 600_000;
/** A failure that is older says nothing about the server as it is now. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** When a server that failed is asked again without being requested: after 30 s, then 1, 2, 4, 8 and 10 minutes. */
export function retryAtOf({ failedAt, count }: Pick<ServerFailure, "failedAt" | "count">): number {
  return failedAt + Math.min(FIRST_RETRY_MS * 2 ** (count - 1), LONGEST_RETRY_MS);
}

/** What the user, not the server, has to change: it may be changed by the next command. Defects of ours are not the server's. */
const NOT_REMEMBERED: ReadonlySet<ErrorCode> = new Set(["CONFIGURATION_ERROR", "INTERNAL_ERROR", "CANCELLED"]);

export function createFailures(store: FailureStore, log: (message: string) => void): Failures {
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      log(`${toDiscoveryError(error).message} Failures of servers are not remembered beyond this process.`);
      return undefined;
    }
  };

  return {
    async read(keys) {
      const fingerprints = new Map(keys.map(({ server, fingerprint }) => [server, fingerprint]));
      const entries = (await attempt(() => store.list())) ?? [];
      return new Map(
        entries.flatMap(({ server, fingerprint, failedAt, text }) => {
          const kept = fingerprints.get(server) === fingerprint ? parseFailure(text, failedAt) : undefined;
          return kept === undefined ? [] : [[server, kept]];
        }),
      );
    },
    async write({ server, fingerprint }, { error, failedAt, count }) {
      if (NOT_REMEMBERED.has(error.code) || "signIn" in error.facts) return;
      const { code, message, hint, facts } = error;
      const text = JSON.stringify({ format: FORMAT, server, code, message, hint, facts, count });
      await attempt(() => store.write({ server, fingerprint, failedAt, text, forgetBefore: failedAt - REMEMBERED_MS }));
    },
    async remove({ server, fingerprint }) {
      await attempt(() => store.remove({ server, fingerprint }));
    },
  };
}

/** Undefined for what another version or another program has written. */
function parseFailure(text: string, failedAt: number): ServerFailure | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value) || value["format"] !== FORMAT) return undefined;
  const { server, code, message, hint, facts, count } = value;
  if (typeof code !== "string" || !Object.hasOwn(ERRORS, code) || typeof message !== "string") return undefined;
  if (typeof count !== "number" || !(count >= 1)) return undefined;
  const error = new DiscoveryError(code as ErrorCode, message, {
    ...(typeof hint === "string" ? { hint } : {}),
    ...(typeof server === "string" ? { server } : {}),
    ...(isJsonObject(facts) ? { facts } : {}),
  });
  return { error, failedAt, count };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
