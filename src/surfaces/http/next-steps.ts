import { approveCommand, describeCommonStep, type NextStep, toPurpose } from "../../model/next-steps.js";

/** Renders a next step as a request to the REST API. */
export function describeRestStep(step: NextStep): string {
  switch (step.action) {
    case "list-servers":
      return "Send GET /api/adapters to see all adapters.";
    case "list-tools":
      return `Send GET ${adapterPath(step.server)}/tools to see all its tools.`;
    case "search":
      return `Send GET ${searchPath(step)} to find tools by what they do.`;
    case "inspect":
      return `Send GET ${toolPath(step.server, step.tool)} to read the parameters.`;
    case "execute":
      return `Send POST ${toolPath(step.server, step.tool)} with the arguments as the body to run a tool.`;
    case "retry":
      return `Send the request again${step.afterSeconds === undefined ? "" : ` after ${step.afterSeconds} s`}.`;
    case "raise-timeout":
      return "Allow the call more time with the header X-AnyGPT-Timeout.";
    case "pass-key":
      return "Send the header Idempotency-Key with a new value, and the same value again when you repeat this request.";
    case "confirm":
      return "If the user agrees, repeat the same request unchanged with the header X-AnyGPT-Confirmed: true.";
    case "approve":
      return `Run \`${approveCommand(step.id)}\` on the gateway's machine to decide about the call, then repeat the same request unchanged.`;
    case "sign-in":
      return `Run \`${step.command}\` on the gateway's machine to sign in to ${step.server}.`;
    case "run-command":
      return `Run \`${step.command}\` on the gateway's machine${toPurpose(step.purpose)}.`;
    case "advice":
    case "edit-config":
    case "set-variable":
    case "edit-file":
      return describeCommonStep(step);
  }
}

function searchPath({ query, server }: Extract<NextStep, { action: "search" }>): string {
  const within = server === undefined ? "" : `&server=${encodeURIComponent(server)}`;
  return `/api/search?q=${query === undefined ? "QUERY" : encodeURIComponent(query)}${within}`;
}

function adapterPath(server: string | undefined): string {
  return `/api/adapters/${server === undefined ? "ADAPTER" : encodeURIComponent(server)}`;
}

function toolPath(server: string | undefined, tool: string | undefined): string {
  return `${adapterPath(server)}/tools/${tool === undefined ? "TOOL" : encodeURIComponent(tool)}`;
}
