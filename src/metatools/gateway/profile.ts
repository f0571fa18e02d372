// The stages come in, the five tools of the profile `gateway` go out. It refuses to know protocols and who is connected.
import { DiscoveryError } from "../../errors.js";
import type { Finding } from "../../registry/check-registry.js";
import type { MetaTool } from "../meta-tool.js";
import { gatewayAdapters } from "./adapters.js";
import { createContract } from "./contract.js";
import { gatewayExecute } from "./execute.js";
import { executeOperation, type OperationAnswer, type OperationRequest } from "./execute-operation.js";
import { gatewayIntent } from "./intent.js";
import { createOperations, type Operations } from "./operations.js";
import { createNames, type GatewayName, type GatewayParts, type GatewayTable, type NameOf } from "./parts.js";
import { gatewayReference } from "./reference.js";
import { gatewayTools } from "./tools.js";

export interface GatewayProfile {
  /** Every word of these is paid for by every agent in every conversation. */
  readonly metaTools: readonly MetaTool[];
  readonly operations: Operations;
  /** The contract checks of the exported registry: what a start should warn of. */
  findings(): Promise<readonly Finding[]>;
  /** The same call for surfaces that want the wrapper itself. */
  execute(request: OperationRequest, signal?: AbortSignal): Promise<OperationAnswer>;
}

export function createGatewayProfile(parts: GatewayParts): GatewayProfile {
  const operations = createOperations(parts.policy);
  const contract = createContract({ file: parts.registryFile, snapshot: parts.snapshot, operations });
  const table: GatewayTable = { ...parts, operations, contract, nameOf: createNames(parts.options) };
  const metaTools = [gatewayIntent, gatewayExecute, gatewayAdapters, gatewayTools, gatewayReference].map((declare) =>
    inOwnWords(declare(table), table.nameOf),
  );
  return {
    metaTools,
    operations,
    findings: () => contract.findings(),
    execute: (request, signal) => executeOperation(request, table, signal),
  };
}

/** The other profile's names in the hints of what both share. */
const OTHER_NAMES: Readonly<Record<string, GatewayName>> = {
  search_tools: "intent",
  get_tool_details: "intent",
  list_mcp_servers: "adapters",
  list_tools: "tools",
  execute_tool: "execute",
};

/** A failure tells what to do next in the names of this profile. */
function inOwnWords(metaTool: MetaTool, nameOf: NameOf): MetaTool {
  return {
    ...metaTool,
    async run(args, context) {
      try {
        return await metaTool.run(args, context);
      } catch (error) {
        throw error instanceof DiscoveryError ? reworded(error, metaTool.name, nameOf) : error;
      }
    },
  };
}

function reworded(error: DiscoveryError, by: string, nameOf: NameOf): DiscoveryError {
  const { code, message, server, tool, executed, cause, facts } = error;
  const hint = error.hint?.replace(/\b[a-z]+_(?:mcp_|tool_)?[a-z]+\b/g, (word) => {
    const own = Object.hasOwn(OTHER_NAMES, word) ? OTHER_NAMES[word] : undefined;
    return own === undefined ? word : nameOf(own);
  });
  return new DiscoveryError(code, message, {
    hint,
    server,
    tool,
    executed,
    cause,
    facts: { ...facts, next_step: nextStep(error, by, nameOf) },
  });
}

function nextStep({ code, tool, server }: DiscoveryError, by: string, nameOf: NameOf): string {
  if (code === "TOOL_NOT_FOUND" || code === "TOOL_DISABLED") return `Find another tool with ${nameOf("intent")}.`;
  if (code === "SERVER_NOT_FOUND") return `Look with ${nameOf("adapters")}, or find a tool with ${nameOf("intent")}.`;
  if (code === "TOOL_VALIDATION_ERROR" && server !== undefined && tool !== undefined) {
    return `Correct params (${nameOf("intent")} with query "${server}:${tool}" tells them) and call ${by} again.`;
  }
  if (code === "CONFIGURATION_ERROR") return `Use ${nameOf("tools")} and ${nameOf("execute")} meanwhile.`;
  return `Do what the hint says, then call ${by} again.`;
}
