// The gateway as an MCP server: translates between the protocol and the meta-tools, and decides nothing.
import {
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Stages } from "../../compose.js";
import { DiscoveryError, toDiscoveryError } from "../../errors.js";
import type { ListedPage } from "../../metatools/full-mode.js";
import type { MetaAnswer, MetaContext } from "../../metatools/meta-tool.js";
import type { Offered } from "../../metatools/offered.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import { localActor } from "../../model/actor.js";
import type { CallEvent, CallResult } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { JsonViolation } from "../../util/json/violation.js";
import type { Secrets } from "../../util/secrets.js";
import { VERSION } from "../../version.js";
import { type Asking, type AskingParts, createAsking } from "./ask-person.js";
import { readResource, RESOURCE_TEMPLATES, RESOURCES } from "./resources.js";

export interface GatewayServerParts extends Omit<AskingParts, "capabilities"> {
  /** Of the configuration in force when a request arrives. */
  readonly stages: () => Promise<Stages>;
  /** Of the configuration at the start: whether the list of tools is the same for ever. */
  readonly offered: Offered;
  /** Tells whenever there may be other tools. */
  readonly onToolsChanged: (listener: () => void) => void;
  readonly instructions: string;
  /** What reading the arguments of a request as JSON has silently changed. */
  readonly flawsOf: (id: RequestId) => readonly JsonViolation[];
}

export function createGatewayServer(parts: GatewayServerParts): Server {
  const { isFixed } = parts.offered;
  const server = new Server(
    { name: "anygpt-discovery", title: "AnyGPT Discovery", version: VERSION },
    {
      capabilities: { tools: isFixed ? {} : { listChanged: true }, resources: {}, logging: {} },
      instructions: parts.instructions,
    },
  );
  // A client that cannot be told looks for itself.
  if (!isFixed) parts.onToolsChanged(() => void server.sendToolListChanged().catch(() => undefined));
  server.setRequestHandler("resources/list", () => ({ resources: RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler("resources/read", async ({ params }) => ({
    contents: [await readResource(params.uri, await parts.stages())],
  }));
  // A handler registered for tools/list or tools/call has its result parsed and copied by the SDK, which drops what its
  // schemas do not know. The fallback's result goes out as it is, and what an upstream says must.
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    if (method === "tools/list") return { ...(await listTools(params?.["cursor"], parts)) };
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

/** How long the list of all tools waits for servers that were never asked: many clients ask for it once only. */
const FIRST_TIME_WAIT_MS = 10_000;

/** The five tools are listed before anything is known of the servers; all of them only then. */
async function listTools(cursor: unknown, { offered, stages }: GatewayServerParts): Promise<ListedPage> {
  if (offered.isFixed) return offered.page();
  if (cursor !== undefined && typeof cursor !== "string")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The cursor is not a text.");
  try {
    return (await whenKnown(await stages())).page(cursor);
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, toDiscoveryError(error).message);
  }
}

async function whenKnown({ offered, refresh }: Stages): Promise<Offered> {
  if (!offered.isFixed) await refresh.whenKnown(FIRST_TIME_WAIT_MS);
  return offered;
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
  const current = await stages();
  const { offered, place } = current;
  const metaTool = offered.find(name) ?? (await whenKnown(current)).find(name);
  if (metaTool === undefined) throw unknownMetaTool(place.secrets.redact(name), offered.names);
  try {
    return toResult(await metaTool.run(args, toMetaContext(request)));
  } catch (error) {
    const isUnconfirmed = error instanceof DiscoveryError && error.code === "CONFIRMATION_REQUIRED";
    return (isUnconfirmed ? request.asking?.nextRound() : undefined) ?? toFailedResult(error, place.secrets);
  }
}

/** How a failure inside a meta-tool is told: as an answer that a model can act on. */
export function toFailedResult(error: unknown, secrets?: Secrets): CallResult {
  return { content: [{ type: "text", text: JSON.stringify(toErrorObject(error, secrets)) }], isError: true };
}

/** An agent that calls an upstream's tool by its own name is told the way. */
function unknownMetaTool(name: string, names: readonly string[]): ProtocolError {
  const run = names.find((one) => /execute/.test(one));
  const offers =
    run === undefined ? "" : ` This gateway offers ${names.join(", ")}; tools of other servers run through ${run}.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool "${name}".${offers}`);
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
