// Renders next steps for MCP clients, as calls of the meta-tools of the active profile.
import {
  approveCommand,
  type DescribeStep,
  describeCommonStep,
  inSeconds,
  type NextStep,
  toPurpose,
} from "../model/next-steps.js";

/** The next steps that an agent takes by calling tools of the gateway. */
type ToolStep = Extract<
  NextStep,
  {
    action: "list-servers" | "list-tools" | "search" | "inspect" | "execute" | "raise-timeout" | "pass-key" | "confirm";
  }
>;

/** Renders a step as a call of a profile's meta-tools or, in full mode, of the listed tools. */
export type DescribeToolStep = (step: ToolStep) => string;

export function createMcpDescription(describeToolStep: DescribeToolStep): DescribeStep {
  return (step) => {
    switch (step.action) {
      case "list-servers":
      case "list-tools":
      case "search":
      case "inspect":
      case "execute":
      case "raise-timeout":
      case "pass-key":
      case "confirm":
        return describeToolStep(step);
      case "retry":
        return `Call again${inSeconds(step.afterSeconds)}.`;
      case "approve":
        return askToApprove(step.id);
      case "sign-in":
        return `Ask the user to sign in to ${step.server} with \`${step.command}\`.`;
      case "run-command":
        return `Ask the user to run \`${step.command}\`${toPurpose(step.purpose)}.`;
      case "advice":
      case "edit-config":
      case "set-variable":
      case "edit-file":
        return describeCommonStep(step);
    }
  };
}

function askToApprove(id: string): string {
  return `Ask the user to decide about the call with \`${approveCommand(id)}\`, then repeat the same call unchanged.`;
}

/** Returns the arguments of an exact call, such as '({"query":"refund"})', or an empty string. */
export function withArguments(args: Readonly<Record<string, string | undefined>>): string {
  const text = JSON.stringify(args);
  return text === "{}" ? "" : `(${text})`;
}

/** Renders a step that tells the agent to pass one of the `options` of a call. Both profiles have the same options. */
export function describeOptionStep({
  action,
}: Extract<ToolStep, { action: "raise-timeout" | "pass-key" | "confirm" }>): string {
  switch (action) {
    case "raise-timeout":
      return "Allow the call more time with options.timeout.";
    case "pass-key":
      return "Pass options.idempotency_key with a new value, and the same value again when you repeat this call.";
    case "confirm":
      return "If your user agrees, repeat the same call unchanged with options.confirmed: true.";
  }
}

/** Renders next steps as calls of the meta-tools of the profile `discovery`. */
export const describeDiscoveryStep = createMcpDescription((step) => {
  switch (step.action) {
    case "list-servers":
      return "Call list_mcp_servers to see all servers.";
    case "list-tools":
      return `Call list_tools${withArguments({ server: step.server })} to see all its tools.`;
    case "search":
      return `Call search_tools${withArguments({ query: step.query, server: step.server })} to find tools by what they do.`;
    case "inspect":
      return `Call get_tool_details${withArguments({ server: step.server, tool: step.tool })} to read the parameters.`;
    case "execute":
      return `Call execute_tool${withArguments({ server: step.server, tool: step.tool })} to run a tool.`;
    case "raise-timeout":
    case "pass-key":
    case "confirm":
      return describeOptionStep(step);
  }
});

/**
 * Renders next steps for full mode, where tools/list has every tool under its alias and calls accept no gateway
 * options.
 */
export const describeFullModeStep = createMcpDescription((step) => {
  switch (step.action) {
    case "list-servers":
    case "search":
      return "Choose a tool from tools/list.";
    case "list-tools":
      return `Choose a tool of ${step.server} from tools/list.`;
    case "inspect":
      return `Read the input schema of ${step.tool} in tools/list.`;
    case "execute":
      return `Call ${step.tool ?? "the tool"} by its name in tools/list.`;
    case "raise-timeout":
      return "Call again later; the configuration limits how long a call may take.";
    case "pass-key":
      return 'The client has to send a key in _meta["anygpt/idempotencyKey"], and the same key again when it repeats this call.';
    case "confirm":
      return askToApprove(step.id);
  }
});
