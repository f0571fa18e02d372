// Stores failures of servers, so that other processes do not contact a server that has just failed.
import { randomBytes } from "node:crypto";
import { DiscoveryError, type ErrorCode, ERRORS, toDiscoveryError } from "../errors.js";
import { isJsonObject } from "../model/json.js";
import { readHint } from "../model/next-steps.js";
import { sha256 } from "../util/sha256.js";
import type { ServerKey } from "./pin-store.js";

/** The last failed request for a server's tool list. */
export interface ServerFailure {
  readonly error: DiscoveryError;
  readonly failedAt: number;
  /** The number of consecutive failures. */
  readonly count: number;
}

/** The part of the store that `FailureMemory` needs. */
export interface FailureStore {
  list(): Promise<readonly (ServerKey & { readonly failedAt: number; readonly text: string })[]>;
  write(
    entry: ServerKey & { readonly failedAt: number; readonly text: string; readonly forgetBefore: number },
  ): Promise<void>;
  remove(key: ServerKey): Promise<void>;
}

export interface FailureKey extends ServerKey {
  /**
   * The values besides the connection settings on which the failure depends, such as environment variables and PATH.
   * The string may contain secrets; only a short salted hash of it is stored.
   */
  readonly circumstances?: string | undefined;
}

/**
 * The failures of servers, shared by all processes. The methods never reject: if a stored failure cannot be read, the
 * only consequence is that the server is contacted earlier than necessary.
 */
export interface FailureMemory {
  /**
   * Returns the stored failures of these servers by name, except those whose connection or circumstances have changed.
   */
  read(keys: readonly FailureKey[]): Promise<ReadonlyMap<string, ServerFailure>>;
  write(key: FailureKey, failure: ServerFailure): Promise<void>;
  remove(key: ServerKey): Promise<void>;
}

const FORMAT = 2;
const FIRST_RETRY_MS = 30_000;
const MAX_RETRY_MS = 600_000;
/** Stored failures that are older than this are deleted. */
const RETENTION_MS = 24 * 60 * 60 * 1000;

/**
 * The time of the next automatic attempt: 30 s after the first failure, then 1, 2, 4, 8 and 10 minutes after the
 * following ones.
 */
export function retryAtOf({ failedAt, count }: Pick<ServerFailure, "failedAt" | "count">): number {
  return failedAt + Math.min(FIRST_RETRY_MS * 2 ** (count - 1), MAX_RETRY_MS);
}

/**
 * Errors that are not stored: the user may correct them before the next command, or they say nothing about the server.
 */
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

/**
 * Whether the server's program could not be started. Such a failure is not stored, because another attempt takes no
 * time and the program may be installed before the next command.
 */
function failsAtOnce({ code, facts }: DiscoveryError): boolean {
  return (
    code === "SERVER_CONNECTION_ERROR" && ["ENOENT", "EACCES", "EPERM", "ENOEXEC"].includes(String(facts["error"]))
  );
}

/** Returns a salted hash that is too short to recover the value, but long enough to detect a change. */
function hashCircumstances(circumstances = "", salt: string): string {
  return `${salt}:${sha256(`${salt} ${circumstances}`).slice(0, 8)}`;
}

/**
 * Returns undefined if the text has the format of another version of the gateway, or if the circumstances have changed.
 */
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
