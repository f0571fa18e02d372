// Creates the five meta-tools of the profile `gateway`. It depends on no protocol and no client.
import { DiscoveryError, ERRORS } from "../../errors.js";
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

/**
 * Adds `next_step` to the errors of a meta-tool: how to continue with the meta-tools of this profile. Removes the names
 * of the server and the tool, because the caller has sent them and the message contains them.
 */
function withNextStep(metaTool: MetaTool, nameOf: NameOf): MetaTool {
  return {
    ...metaTool,
    async run(args, context) {
      try {
        return await metaTool.run(args, context);
      } catch (error) {
        if (!(error instanceof DiscoveryError)) throw error;
        const next_step = nextStep(error, metaTool.name, nameOf);
        throw error.with({
          server: undefined,
          tool: undefined,
          facts: { ...error.facts, retryable: isRetryable(error), next_step },
        });
      }
    },
  };
}

/**
 * The next step after an error. The hint says whether and how to repeat the call, and the next step never contradicts
 * it: it only names the meta-tool that the hint leaves open.
 */
function nextStep(error: DiscoveryError, by: string, nameOf: NameOf): string {
  if (error.code === "TOOL_DISABLED") return `Find another tool with ${nameOf("intent")}.`;
  if (error.code === "CONFIGURATION_ERROR" && by === nameOf("intent"))
    return `Use ${nameOf("tools")} and ${nameOf("execute")} instead.`;
  if (error.nextSteps.length > 0) return "Follow the hint.";
  return isRetryable(error) ? `Call ${by} again.` : "Do not repeat the call unchanged.";
}

/**
 * Whether the same call may be repeated, as the hint says. The error code alone does not decide: a call that timed out
 * before it was sent may be repeated, and one that perhaps ran may not.
 */
function isRetryable({ code, nextSteps, executed, facts }: DiscoveryError): boolean {
  const saysRetry = nextSteps.some(({ action }) => action === "retry");
  const needsChange = facts["violations"] !== undefined || facts["problems"] !== undefined;
  if (saysRetry && executed === "no") return !needsChange;
  return ERRORS[code].retryable && executed !== "unknown";
}
