// Creates the five meta-tools of the profile `gateway`. It depends on no protocol and no client.
import { DiscoveryError } from "../../errors.js";
import type { Finding } from "../../registry/check-registry.js";
import type { DescribeStep } from "../../model/next-steps.js";
import type { MetaTool } from "../meta-tool.js";
import { gatewayAdapters } from "./adapters.js";
import { createRegistryComparison } from "./registry-comparison.js";
import { gatewayExecute } from "./execute.js";
import { executeOperation, type OperationAnswer, type OperationRequest } from "./execute-operation.js";
import { gatewayIntent } from "./intent.js";
import { createOperations, type Operations } from "./operations.js";
import { createGatewayDescription } from "./next-steps.js";
import { createNames, type GatewayParts, type GatewayTable, type NameOf } from "./parts.js";
import { gatewayReference } from "./reference.js";
import { gatewayTools } from "./tools.js";

export interface GatewayProfile {
  /** The five meta-tools. Keep their descriptions short: every client loads them into every conversation. */
  readonly metaTools: readonly MetaTool[];
  readonly operations: Operations;
  readonly describeStep: DescribeStep;
  /**
   * Returns the differences between the exported registry file and the current catalog. They are logged as warnings
   * during startup.
   */
  findings(): Promise<readonly Finding[]>;
  /** Calls an operation and returns the wrapped result without converting it to an MCP result. */
  execute(request: OperationRequest): Promise<OperationAnswer>;
}

export function createGatewayProfile(parts: GatewayParts): GatewayProfile {
  const operations = createOperations(parts.policy);
  const registryComparison = createRegistryComparison({
    file: parts.registryFile,
    snapshot: parts.snapshot,
    operations,
  });
  const nameOf = createNames(parts.options);
  const describeStep = createGatewayDescription(nameOf);
  const table: GatewayTable = { ...parts, operations, registryComparison, nameOf, describeStep };
  const metaTools = [gatewayIntent, gatewayExecute, gatewayAdapters, gatewayTools, gatewayReference].map((declare) =>
    withNextStep(declare(table), nameOf),
  );
  return {
    metaTools,
    operations,
    describeStep,
    findings: () => registryComparison.findings(),
    execute: (request) => executeOperation(request, table),
  };
}

/** Adds `next_step` to the errors of a meta-tool: how to continue with the meta-tools of this profile. */
function withNextStep(metaTool: MetaTool, nameOf: NameOf): MetaTool {
  return {
    ...metaTool,
    async run(args, context) {
      try {
        return await metaTool.run(args, context);
      } catch (error) {
        if (!(error instanceof DiscoveryError)) throw error;
        throw error.with({ facts: { ...error.facts, next_step: nextStep(error, metaTool.name, nameOf) } });
      }
    },
  };
}

function nextStep({ code, tool, server }: DiscoveryError, by: string, nameOf: NameOf): string {
  if (code === "TOOL_NOT_FOUND" || code === "TOOL_DISABLED") return `Find another tool with ${nameOf("intent")}.`;
  if (code === "SERVER_NOT_FOUND") {
    return `See all adapters with ${nameOf("adapters")}, or find a tool with ${nameOf("intent")}.`;
  }
  if (code === "TOOL_VALIDATION_ERROR" && server !== undefined && tool !== undefined) {
    return `Correct params (${nameOf("intent")} with query "${server}:${tool}" describes them) and call ${by} again.`;
  }
  if (code === "CONFIGURATION_ERROR") return `Use ${nameOf("tools")} and ${nameOf("execute")} instead.`;
  return `Follow the hint, then call ${by} again.`;
}
