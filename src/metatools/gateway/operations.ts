import { type CatalogServer, isBuiltIn } from "../../catalog/snapshot.js";
import type { Tool } from "../../model/tool.js";
import { isKeyRequired } from "../../policy/decide.js";
import type { Policy } from "../../policy/policy.js";
import { isAtLeast } from "../../policy/risk.js";
import { type Operation, type OperationRuling, toOperation } from "../../registry/operation.js";

export interface Operations {
  /** Returns the registry entry of a tool. It is cached as long as the tool object exists. */
  of(tool: Tool, server: CatalogServer | undefined): Operation;
}

export function createOperations(policy: Policy): Operations {
  const known = new WeakMap<Tool, Operation>();
  return {
    of(tool, server) {
      const found =
        known.get(tool) ?? toOperation({ tool, ruling: toRuling(tool, policy), facts: server?.definition.facts });
      known.set(tool, found);
      return found;
    },
  };
}

function toRuling(tool: Tool, policy: Policy): OperationRuling {
  const { risk, key, scopes, bucket } = policy.ruling(tool);
  const { confirmation, idempotency } = policy.options;
  const from = idempotency.requiredFrom.gateway;
  return {
    risk: risk.risk,
    isIdempotent: key.isIdempotent,
    needsKey: isKeyRequired(risk.risk, from),
    needsConfirmation: confirmation.mode !== "never" && isAtLeast(risk.risk, confirmation.from),
    scopes,
    bucket: bucket?.name,
  };
}

/** Lists all enabled operations with their tool ids, except those of the built-in server. */
export function listOperations(servers: Iterable<CatalogServer>, operations: Operations): [string, Operation][] {
  return [...servers].flatMap((server) =>
    server.tools
      .filter((tool) => tool.enabled && !isBuiltIn(server))
      .map((tool): [string, Operation] => [tool.id, operations.of(tool, server)]),
  );
}
