import { join } from "node:path";
import { DiscoveryError, type ErrorCode } from "../errors.js";
import { createInlineChannel, type DatabaseChannel } from "./sqlite/channel.js";
import { type DatabaseFault, STORE_OPERATIONS, type Request } from "./sqlite/operations.js";
import { createReader, createDatabaseSession } from "./sqlite/session.js";
import { createThreadChannel } from "./sqlite/thread-channel.js";
import type { Store, StorePart } from "./store.js";

export interface StoreParts {
  readonly file: string;
  /**
   * Whether to write in the calling thread instead of a worker thread. For short-lived programs that can wait for the
   * disk, such as a CLI command.
   */
  readonly inline?: boolean;
  /**
   * Whether a read may lock out other processes if SQLite cannot create its file for shared memory, for example on a
   * full disk. Only for a short-lived program that writes nothing: the lock is kept until the store is closed.
   */
  readonly canReadAlone?: boolean;
}

/** The path of the database. The write-ahead log and the owner locks are created next to it. */
export function storeFile(stateFolder: string): string {
  return join(stateFolder, "store.db");
}

/**
 * Creates the embedded store. It opens the file on first use; a read never starts the worker thread and never creates
 * the file.
 */
export function createStore({ file, inline = false, canReadAlone = false }: StoreParts): Store {
  const writer = inline ? createInlineChannel(createDatabaseSession(file)) : createThreadChannel(file);
  const reader = createInlineChannel(createReader(file, canReadAlone));
  let lastWriteSucceeded = false;

  const send = async (channel: DatabaseChannel, request: Request): Promise<unknown> => {
    const reply = await channel.send(request);
    if (channel === writer) lastWriteSucceeded = reply.kind === "done";
    if (reply.kind === "failed") throw toError(reply.fault, file, request.part);
    return reply.value;
  };

  const partOf = (part: StorePart): unknown =>
    Object.fromEntries(
      Object.entries(STORE_OPERATIONS[part]).map(([method, effect]) => [
        method,
        (...args: readonly unknown[]) => send(effect === "read" ? reader : writer, { part, method, args }),
      ]),
    );

  return {
    keys: partOf("keys") as Store["keys"],
    audit: partOf("audit") as Store["audit"],
    approvals: partOf("approvals") as Store["approvals"],
    pins: partOf("pins") as Store["pins"],
    rates: partOf("rates") as Store["rates"],
    catalog: partOf("catalog") as Store["catalog"],
    failures: partOf("failures") as Store["failures"],
    credentials: partOf("credentials") as Store["credentials"],
    results: partOf("results") as Store["results"],
    toolFiles: partOf("toolFiles") as Store["toolFiles"],
    prepare: () =>
      lastWriteSucceeded ? undefined : send(writer, { part: "probe", method: "write", args: [] }).then(() => undefined),
    async close() {
      await writer.close();
      await reader.close();
    },
  };
}

const NOT_REQUIRED_FOR_CALLS: ReadonlySet<Request["part"]> = new Set([
  "pins",
  "catalog",
  "failures",
  "credentials",
  "results",
  "toolFiles",
]);

/**
 * Returns the error code for a failure of one part of the store. A call that cannot be recorded must not run, so
 * failures of the parts that record calls are AUDIT_UNAVAILABLE.
 */
function codeOf(part: Request["part"]): ErrorCode {
  return NOT_REQUIRED_FOR_CALLS.has(part) ? "INTERNAL_ERROR" : "AUDIT_UNAVAILABLE";
}

function toError({ reason, hint }: DatabaseFault, file: string, part: Request["part"]): DiscoveryError {
  return new DiscoveryError(codeOf(part), `The store ${file} could not be used: ${reason}.`, { hint });
}
