// Stores failures of servers, so that other processes do not contact a server that has just failed.
import { randomBytes } from "node:crypto";
import { DiscoveryError, type ErrorCode, ERRORS, toDiscoveryError } from "../errors.js";
import { isJsonObject } from "../model/json.js";
import { readHint } from "../model/next-steps.js";
import { sha256 } from "../util/sha256.js";
import type { ServerKey } from "./pin-store.js";

/** The last failed attempt to list a server's tools. */
export interface ServerFailure {
  readonly error: DiscoveryError;
  readonly failedAt: number;
  /** The number of consecutive failures. */
  readonly count: number;
}

/** The persistence that the failure memory needs. */
export interface FailureStore {
  list(): Promise<readonly (ServerKey & { readonly failedAt: number; readonly text: string })[]>;
  write(
    entry: ServerKey & { readonly failedAt: number; readonly text: string; readonly forgetBefore: number },
  ): Promise<void>;
  remove(key: ServerKey): Promise<void>;
}

export interface FailureKey extends ServerKey {
  /**
   * Other values on which the failure depends: the values of variables, PATH. It may contain secrets; only a short salted
   * hash of it is stored.
   */
  readonly circumstances?: string | undefined;
}

/** The failures of servers, shared by all processes. It never rejects: without a stored failure, the server is only contacted too early. */
export interface FailureMemory {
  /** By name: the stored failures of these servers whose connection and circumstances did not change. */
  read(keys: readonly FailureKey[]): Promise<ReadonlyMap<string, ServerFailure>>;
  write(key: FailureKey, failure: ServerFailure): Promise<void>;
  remove(key: ServerKey): Promise<void>;
}

const FORMAT = 2;
const FIRST_RETRY_MS = 30_000;
const MAX_RETRY_MS = 600_000;
/** Older failures are deleted. */
const RETENTION_MS = 24 * 60 * 60 * 1000;

/** The time of the next automatic attempt: after 30 s, then 1, 2, 4, 8 and 10 minutes. */
export function retryAtOf({ failedAt, count }: Pick<ServerFailure, "failedAt" | "count">): number {
  return failedAt + Math.min(FIRST_RETRY_MS * 2 ** (count - 1), MAX_RETRY_MS);
}

/** Errors that the user may correct before the next command, and internal errors, are not stored. */
const NOT_STORED: ReadonlySet<ErrorCode> = new Set(["CONFIGURATION_ERROR", "INTERNAL_ERROR", "CANCELLED"]);

export function createFailureMemory(store: FailureStore, log: (message: string) => void): FailureMemory {
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      log(`${toDiscoveryError(error).message} Failures of servers are not shared with other processes.`);
      return undefined;
    }
  };

  return {
    async read(keys) {
      const known = new Map(keys.map((key) => [key.server, key]));
      const entries = (await attempt(() => store.list())) ?? [];
      return new Map(
        entries.flatMap(({ server, fingerprint, failedAt, text }) => {
          const key = known.get(server);
          const kept = key?.fingerprint === fingerprint ? parseFailure(text, failedAt, key.circumstances) : undefined;
          return kept === undefined ? [] : [[server, kept]];
        }),
      );
    },
    async write({ server, fingerprint, circumstances }, { error, failedAt, count }) {
      if (NOT_STORED.has(error.code) || "signIn" in error.facts || failsAtOnce(error)) return;
      const { code, message, nextSteps: hint, facts } = error;
      const under = hashCircumstances(circumstances, randomBytes(8).toString("hex"));
      const text = JSON.stringify({ format: FORMAT, server, code, message, hint, facts, count, under });
      await attempt(() => store.write({ server, fingerprint, failedAt, text, forgetBefore: failedAt - RETENTION_MS }));
    },
    async remove({ server, fingerprint }) {
      await attempt(() => store.remove({ server, fingerprint }));
    },
  };
}

/** A program that cannot be started fails at once, and may be installed before the next command. */
function failsAtOnce({ code, facts }: DiscoveryError): boolean {
  return (
    code === "SERVER_CONNECTION_ERROR" && ["ENOENT", "EACCES", "EPERM", "ENOEXEC"].includes(String(facts["error"]))
  );
}

/** Too short to recover a value from it, long enough to detect a change. */
function hashCircumstances(circumstances = "", salt: string): string {
  return `${salt}:${sha256(`${salt} ${circumstances}`).slice(0, 8)}`;
}

/** Undefined for entries of another version, and if the circumstances changed. */
function parseFailure(text: string, failedAt: number, circumstances: string | undefined): ServerFailure | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value) || value["format"] !== FORMAT) return undefined;
  const { server, code, message, hint, facts, count, under } = value;
  const [salt = ""] = typeof under === "string" ? under.split(":") : [];
  if (under !== hashCircumstances(circumstances, salt)) return undefined;
  if (typeof code !== "string" || !Object.hasOwn(ERRORS, code) || typeof message !== "string") return undefined;
  if (typeof count !== "number" || !(count >= 1)) return undefined;
  const error = new DiscoveryError(code as ErrorCode, message, {
    hint: readHint(hint),
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
