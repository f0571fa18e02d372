import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BUILT_IN_SERVER } from "../../../src/model/built-in.js";
import type { Gateway, Json, Outcome } from "./gateway.js";
import type { FaultHome } from "./home.js";

const PROGRAM = fileURLToPath(new URL("./scripted.mjs", import.meta.url));

export interface Script {
  /** A string is a tool in JSON. */
  readonly tools: readonly unknown[];
  readonly results?: Readonly<Record<string, unknown>>;
  /** Further command-line arguments. */
  readonly words?: readonly string[];
}

/** A server for the configuration with exactly the given tools and results. */
export function scripted(home: FaultHome, name: string, { tools, words = [], results = {} }: Script) {
  const file = home.path(`${name}.script.json`);
  const list = tools.map((tool) => (typeof tool === "string" ? tool : JSON.stringify(tool)));
  writeFileSync(file, JSON.stringify({ tools: `[${list.join()}]`, results }));
  return { command: process.execPath, args: [PROGRAM, file, ...words] };
}

export const plainTool = (name: string, inputSchema: unknown = { type: "object" }): Json => ({
  name,
  description: `The tool ${name}.`,
  inputSchema,
  annotations: { readOnlyHint: true },
});

/** The arguments that a tool without a result returns. */
export interface Given {
  readonly name: string;
  readonly args: Json;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
}

export function givenOf(outcome: Outcome): Given | undefined {
  if (outcome.kind !== "answer") return undefined;
  const [first] = outcome.result["content"] as { text?: string }[];
  return JSON.parse(first?.text ?? "null") as Given;
}

/** One word for the outcome. */
export function endingOf(outcome: Outcome): string {
  if (outcome.kind === "error") return outcome.code;
  return outcome.kind === "refused" ? `refused ${outcome.code}` : outcome.kind;
}

export interface ListedServer {
  readonly name: string;
  /** "pending" or "error"; not set if the server can be used. */
  readonly status?: string;
  /** 0 until the tools are known. */
  readonly toolCount: number;
  readonly reason?: string;
}

/** All pages of the list of servers, without the built-in server. */
export async function listServers(gateway: Gateway): Promise<readonly ListedServer[]> {
  const servers: ListedServer[] = [];
  let cursor: string | undefined;
  do {
    const args = cursor === undefined ? {} : { cursor };
    const outcome = await gateway.request("tools/call", { name: "list_mcp_servers", arguments: args });
    if (outcome.kind !== "answer") throw new Error(`The list of servers ended in ${endingOf(outcome)}.`);
    const [first] = outcome.result["content"] as { text: string }[];
    const page = JSON.parse(first?.text ?? "{}") as {
      servers: (Omit<ListedServer, "toolCount"> & { toolCount?: number })[];
      next_cursor?: string;
    };
    servers.push(...page.servers.map((one) => ({ ...one, toolCount: one.toolCount ?? 0 })));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return servers.filter(({ name }) => name !== BUILT_IN_SERVER);
}
