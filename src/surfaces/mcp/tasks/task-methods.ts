// Handles tasks/get, tasks/update and tasks/cancel for modern clients (MCP 2026-07-28 and later).
import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import type { TaskOf, Tasks } from "./tasks.js";

const EXTENSION = "io.modelcontextprotocol/tasks";

/** The server capability that declares the tasks extension. */
export const TASK_CAPABILITIES = { extensions: { [EXTENSION]: {} } };

type Method = (tasks: Tasks, task: TaskOf, answers: JsonObject) => JsonObject;

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["tasks/get", (tasks, task) => tasks.get(task)],
  ["tasks/update", update],
  ["tasks/cancel", cancel],
]);

/** A schema that accepts everything. The SDK requires a schema for handlers of methods that it does not know. */
const ANYTHING = {
  "~standard": {
    version: 1,
    vendor: "anygpt",
    validate: (value: unknown) => ({ value }),
  },
} as const;

/** Whether the client declares the tasks extension. */
export function supportsTasks(capabilities: unknown): boolean {
  const extensions = isJsonObject(capabilities) ? capabilities["extensions"] : undefined;
  return isJsonObject(extensions) && isJsonObject(extensions[EXTENSION]);
}

export function serveTasks(server: Server, tasks: Tasks, owner: string): void {
  for (const [method, run] of METHODS) {
    server.setRequestHandler(method, { params: ANYTHING }, (given: unknown, { mcpReq }: ServerContext) => {
      const params = isJsonObject(given) ? given : {};
      const envelope: unknown = mcpReq.envelope;
      if (!isJsonObject(envelope) || !supportsTasks(envelope[CLIENT_CAPABILITIES_META_KEY]))
        throw extensionRequired(method);
      return run(tasks, { taskId: params["taskId"], owner }, mcpReq.inputResponses ?? {});
    });
  }
}

function update(tasks: Tasks, task: TaskOf, answers: JsonObject): JsonObject {
  tasks.update(task, answers);
  return {};
}

function cancel(tasks: Tasks, task: TaskOf): JsonObject {
  tasks.cancel(task);
  return {};
}

function extensionRequired(method: string): ProtocolError {
  const message = `${method} is only available to clients that declare the extension ${EXTENSION}.`;
  const data = { requiredCapabilities: TASK_CAPABILITIES };
  return new ProtocolError(ProtocolErrorCode.MissingRequiredClientCapability, message, data);
}
