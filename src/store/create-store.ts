import { join } from "node:path";
import { DiscoveryError, type ErrorCode } from "../errors.js";
import { createInlineLane, type Lane } from "./sqlite/lane.js";
import { type Fault, OPERATIONS, type Request } from "./sqlite/operations.js";
import { createReader, createSession } from "./sqlite/session.js";
import { createThreadLane } from "./sqlite/thread-lane.js";
import type { Store, StorePart } from "./store.js";

export interface StoreParts {
  readonly file: string;
  /** Write in the calling thread: for a program that ends soon and can wait for the disk, such as a command. */
  readonly inline?: boolean;
}

/** One file in the state folder, with its log and the locks of its processes beside it. */
export function storeFile(stateFolder: string): string {
  return join(stateFolder, "store.db");
}

/** The embedded store. It opens nothing until it is used; reads never start the thread and never make the file. */
export function createStore({ file, inline = false }: StoreParts): Store {
  const writer = inline ? createInlineLane(createSession(file)) : createThreadLane(file);
  const reader = createInlineLane(createReader(file));
  let isSound = false;

  const send = async (lane: Lane, request: Request): Promise<unknown> => {
    const reply = await lane.send(request);
    if (lane === writer) isSound = reply.kind === "done";
    if (reply.kind === "failed") throw toError(reply.fault, file, request.part);
    return reply.value;
  };

  const partOf = (part: StorePart): unknown =>
    Object.fromEntries(
      Object.entries(OPERATIONS[part]).map(([method, effect]) => [
        method,
        (...given: readonly unknown[]) => send(effect === "read" ? reader : writer, { part, method, given }),
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
    toolFiles: partOf("toolFiles") as Store["toolFiles"],
    prepare: () =>
      isSound ? undefined : send(writer, { part: "probe", method: "write", given: [] }).then(() => undefined),
    async close() {
      await writer.close();
      await reader.close();
    },
  };
}

const APART_FROM_CALLS: ReadonlySet<Request["part"]> = new Set([
  "pins",
  "catalog",
  "failures",
  "credentials",
  "toolFiles",
]);

/** What belongs to a call is part of its record: without it the call is not made. */
function codeOf(part: Request["part"]): ErrorCode {
  return APART_FROM_CALLS.has(part) ? "INTERNAL_ERROR" : "AUDIT_UNAVAILABLE";
}

function toError({ reason, hint }: Fault, file: string, part: Request["part"]): DiscoveryError {
  return new DiscoveryError(codeOf(part), `The store ${file} could not be used: ${reason}.`, { hint });
}
