import type { DescribeStep } from "../../model/next-steps.js";
import { createMcpDescription, describeOptionStep, withArguments } from "../next-steps.js";
import type { NameOf } from "./parts.js";

/** Renders next steps as calls of the meta-tools of the profile `gateway`. `nameOf` returns their configured names. */
export function createGatewayDescription(nameOf: NameOf): DescribeStep {
  return createMcpDescription((step) => {
    switch (step.action) {
      case "list-servers":
        return `Call ${nameOf("adapters")} to see all adapters.`;
      case "list-tools":
        return `Call ${nameOf("tools")}${withArguments({ adapter: step.server })} to see all its tools.`;
      case "search":
        return `Call ${nameOf("intent")}${withArguments({ query: step.query, adapter: step.server })} to find tools by what they do.`;
      case "inspect":
        return `Call ${nameOf("intent")}${withArguments({ query: `${step.server}:${step.tool}` })} to read the parameters.`;
      case "execute": {
        const id = step.server === undefined || step.tool === undefined ? undefined : `${step.server}:${step.tool}`;
        return `Call ${nameOf("execute")}${withArguments({ tool_id: id })} to run a tool.`;
      }
      case "raise-timeout":
      case "pass-key":
      case "confirm":
        return describeOptionStep(step);
    }
  });
}
