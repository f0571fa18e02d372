// Every entry point of the gateway that can run a tool. Each makes one call and returns the error code, or `ran`.
import { askModern, openMcpSession } from "../../support/mcp-http.js";
import { runCommand } from "./command.js";
import { type Gateway, type Json, openGateway, type Outcome } from "./gateway.js";
import { type ServedGateway, openServedGateway } from "./served-gateway.js";
import type { FaultHome } from "./home.js";

export interface EntryCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly key?: string;
}

export interface EntryPoint {
  readonly name: string;
  readonly call: (call: EntryCall) => Promise<string>;
}

export interface EntryPoints {
  readonly all: readonly EntryPoint[];
  close(): Promise<void>;
}

const optionsOf = ({ key }: EntryCall): Json => (key === undefined ? {} : { options: { idempotency_key: key } });
const toExecution = ({ server, tool, arguments: given, ...rest }: EntryCall): Json => ({
  server,
  tool,
  arguments: given,
  ...optionsOf({ server, tool, arguments: given, ...rest }),
});
const toOperation = (call: EntryCall): Json => ({
  tool_id: `${call.server}:${call.tool}`,
  params: call.arguments,
  ...optionsOf(call),
});

const toCode = (outcome: Outcome): string =>
  outcome.kind === "answer" ? codeIn(outcome.result) : outcome.kind === "error" ? outcome.code : outcome.kind;

/** The code in a result of either profile, over any transport. */
export function codeIn(result: unknown): string {
  const found = /\\*"code\\*":\s*\\*"([A-Z_]+)\\*"/.exec(JSON.stringify(result ?? "nothing"))?.[1];
  return found ?? ((result as Json | undefined)?.["isError"] === true ? "a failure without a code" : "ran");
}

export interface EntryParts {
  readonly home: FaultHome;
  readonly dist: string;
  readonly servers: Record<string, object>;
  readonly sections: object;
}

/** All share one store and one policy; some differ in profile and mode. */
export async function openEntryPoints({ home, dist, servers, sections }: EntryParts): Promise<EntryPoints> {
  const config = (name: string, more: object): string => home.configure(servers, { ...sections, ...more }, name);
  const usual = config("config.json", {});
  const full = config("full.json", { mode: "full" });
  const gatewayProfile = config("gateway.json", { profile: "gateway" });
  const open = (file: string): Promise<Gateway> => openGateway(home, { dist, config: file });
  const [stdio, fullMode, profile] = [await open(usual), await open(full), await open(gatewayProfile)];
  const http = await openServedGateway(home, { dist, config: usual });
  const caller = { url: http.url, token: http.token };
  const session = await openMcpSession(caller);
  const batches = await openMcpSession(caller, { revision: "2025-03-26" });
  const all: EntryPoint[] = [
    {
      name: "execute_tool over stdio",
      call: async (call) =>
        toCode(await stdio.request("tools/call", { name: "execute_tool", arguments: toExecution(call) })),
    },
    {
      name: "tools/call in full mode",
      call: async ({ server, tool, arguments: given, key }) => {
        const meta = key === undefined ? {} : { _meta: { "anygpt/idempotencyKey": key } };
        return toCode(await fullMode.request("tools/call", { name: `${server}__${tool}`, arguments: given, ...meta }));
      },
    },
    {
      name: "gateway.execute",
      call: async (call) =>
        toCode(await profile.request("tools/call", { name: "gateway.execute", arguments: toOperation(call) })),
    },
    {
      name: "a batch of 2025-03-26",
      call: async (call) => {
        const params = { name: "execute_tool", arguments: toExecution(call) };
        const { messages } = await batches.post([{ jsonrpc: "2.0", id: 1, method: "tools/call", params }]);
        return codeIn(messages.find(({ id }) => id === 1)?.result);
      },
    },
    {
      name: "a session over HTTP",
      call: async (call) =>
        codeIn((await session.ask("tools/call", { name: "execute_tool", arguments: toExecution(call) })).answer.result),
    },
    {
      name: "a stateless request over HTTP",
      call: async (call) => {
        const { answer } = await askModern(caller, "tools/call", {
          name: "execute_tool",
          arguments: toExecution(call),
        });
        return codeIn(answer.result);
      },
    },
    {
      name: "the endpoint of the gateway profile",
      call: async (call) => {
        const at = { ...caller, path: "/mcp/gateway" };
        const { answer } = await askModern(at, "tools/call", { name: "gateway.execute", arguments: toOperation(call) });
        return codeIn(answer.result);
      },
    },
    { name: "REST", call: (call) => overRest(http, call) },
    {
      name: "the command line",
      call: async ({ server, tool, arguments: given, key }) => {
        const words = ["execute", server, tool, "--args", JSON.stringify(given), "--json"];
        const withKey = key === undefined ? [] : ["--idempotency-key", key];
        const { stdout } = await runCommand(home, { dist, config: usual }, [...words, ...withKey]);
        return codeIn(JSON.parse(stdout) as Json);
      },
    },
  ];
  return {
    all,
    async close() {
      for (const gateway of [stdio, fullMode, profile]) await gateway.close();
      await http.stop();
    },
  };
}

async function overRest({ url, token }: ServedGateway, { server, tool, arguments: given, key }: EntryCall) {
  const response = await fetch(`${url}/api/adapters/${server}/tools/${tool}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    body: JSON.stringify(given),
  });
  return codeIn(await response.json());
}
