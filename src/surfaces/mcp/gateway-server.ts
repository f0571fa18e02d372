// The gateway as an MCP server: translates between the protocol and the meta-tools, and decides nothing.
import {
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Stages } from "../../compose.js";
import { DiscoveryError } from "../../errors.js";
import type { MetaAnswer, MetaContext, MetaTool } from "../../metatools/meta-tool.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import { localActor } from "../../model/actor.js";
import type { CallEvent, CallResult } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { JsonViolation } from "../../util/json/violation.js";
import { VERSION } from "../../version.js";
import { type Asking, type AskingParts, createAsking } from "./ask-person.js";
import { readResource, RESOURCE_TEMPLATES, RESOURCES } from "./resources.js";

export interface GatewayServerParts extends Omit<AskingParts, "capabilities"> {
  /** Of the configuration in force when a request arrives. */
  readonly stages: () => Promise<Stages>;
  readonly metaTools: readonly MetaTool[];
  readonly instructions: string;
  /** What reading the arguments of a request as JSON has silently changed. */
  readonly flawsOf: (id: RequestId) => readonly JsonViolation[];
}

export function createGatewayServer(parts: GatewayServerParts): Server {
  const server = new Server(
    { name: "anygpt-discovery", title: "AnyGPT Discovery", version: VERSION },
    { capabilities: { tools: {}, resources: {}, logging: {} }, instructions: parts.instructions },
  );
  const listed = parts.metaTools.map(toListedTool);
  server.setRequestHandler("tools/list", () => ({ tools: listed }));
  server.setRequestHandler("resources/list", () => ({ resources: RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler("resources/read", async ({ params }) => ({
    contents: [await readResource(params.uri, await parts.stages())],
  }));
  // A handler registered for tools/call has its result parsed and copied by the SDK, which drops what its schemas do not
  // know. The fallback's result goes out as it is, and what an upstream answers must.
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    if (method !== "tools/call") throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    const request: MetaRequest = {
      params: params ?? {},
      context,
      flaws: parts.flawsOf(context.mcpReq.id),
      asking: createAsking(context, { ...parts, capabilities: server.getClientCapabilities() }),
    };
    return { ...(await callMetaTool(request, parts.stages)) };
  };
  return server;
}

function toListedTool({ name, description, inputSchema, readOnly }: MetaTool) {
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" as const },
    ...(readOnly ? { annotations: { readOnlyHint: true } } : {}),
  };
}

interface MetaRequest {
  readonly params: JsonObject;
  readonly context: ServerContext;
  readonly flaws: readonly JsonViolation[];
  readonly asking: Asking | undefined;
}

async function callMetaTool(
  request: MetaRequest,
  stages: GatewayServerParts["stages"],
): Promise<CallResult | JsonObject> {
  const { name, arguments: args } = request.params;
  if (typeof name !== "string")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "tools/call needs the tool's name.");
  const { metaTools } = await stages();
  const metaTool = metaTools.find((one) => one.name === name);
  if (metaTool === undefined) throw unknownMetaTool(name, metaTools);
  try {
    return toResult(await metaTool.run(args, toMetaContext(request)));
  } catch (error) {
    const isUnconfirmed = error instanceof DiscoveryError && error.code === "CONFIRMATION_REQUIRED";
    return (isUnconfirmed ? request.asking?.nextRound() : undefined) ?? toFailedResult(error);
  }
}

/** How a failure inside a meta-tool is told: as an answer that a model can act on. */
export function toFailedResult(error: unknown): CallResult {
  return { content: [{ type: "text", text: JSON.stringify(toErrorObject(error)) }], isError: true };
}

/** An agent that calls an upstream's tool by its own name is told the way. */
function unknownMetaTool(name: string, metaTools: readonly MetaTool[]): ProtocolError {
  const names = metaTools.map((one) => one.name).join(", ");
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool "${name}". This gateway offers ${names}; tools of other servers run through execute_tool.`,
  );
}

function toResult(answer: MetaAnswer): CallResult {
  if (answer.kind === "result") return answer.result;
  return { content: [{ type: "text", text: JSON.stringify(answer.data) }] };
}

function toMetaContext({ context: { mcpReq }, flaws, asking }: MetaRequest): MetaContext {
  const { progressToken, ...meta } = (isJsonObject(mcpReq._meta) ? mcpReq._meta : {}) as JsonObject;
  // A notification that cannot be written means that the client is gone; the transport notices by itself.
  const ignore = (): void => undefined;
  const onEvent = (event: CallEvent): void => {
    if (event.kind === "log") {
      mcpReq.log(event.level as Parameters<typeof mcpReq.log>[0], event.data, event.logger).catch(ignore);
    } else if (progressToken !== undefined) {
      const { kind: _kind, ...progress } = event;
      mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...progress } }).catch(ignore);
    }
  };
  return {
    actor: localActor("mcp"),
    signal: mcpReq.signal,
    onEvent,
    ...(flaws.length > 0 ? { flaws } : {}),
    ...(asking === undefined ? {} : { ask: asking.ask }),
    ...(Object.keys(meta).length > 0 ? { meta } : {}),
  };
}
