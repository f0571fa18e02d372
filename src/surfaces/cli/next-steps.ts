import { approveCommand, describeCommonStep, inSeconds, type NextStep, toPurpose } from "../../model/next-steps.js";
import { commandLine } from "../../util/command-line.js";

/** Describes a next step for a user of the CLI, as an `anygpt` command where possible. */
export function describeCliStep(step: NextStep): string {
  switch (step.action) {
    case "list-servers":
      return run(["list"], "see all servers");
    case "list-tools":
      return run(["tools", step.server], "see all its tools");
    case "search": {
      const within = step.server === undefined ? [] : ["--server", step.server];
      return run(["search", step.query ?? "QUERY", ...within], "find tools by what they do");
    }
    case "inspect":
      return run(["inspect", step.server, step.tool], "read the parameters");
    case "execute":
      return run(["execute", step.server ?? "SERVER", step.tool ?? "TOOL"], "run a tool");
    case "retry":
      return `Run the command again${inSeconds(step.afterSeconds)}.`;
    case "raise-timeout":
      return "Allow more time with --timeout SECONDS.";
    case "pass-key":
      return "Pass --idempotency-key KEY with a new value, and the same value again when you repeat this call.";
    case "confirm":
      return "To run the call, repeat the same command with --confirmed or --yes added.";
    case "approve":
      return `Run \`${approveCommand(step.id)}\` to decide about the call, then repeat the same command unchanged.`;
    case "sign-in":
      return `Run \`${step.command}\` to sign in to ${step.server}.`;
    case "run-command":
      return `Run \`${step.command}\`${toPurpose(step.purpose)}.`;
    case "advice":
    case "edit-config":
    case "set-variable":
    case "edit-file":
      return describeCommonStep(step);
  }
}

function run(words: readonly string[], purpose: string): string {
  return `Run \`${commandLine(["anygpt", "mcp", ...words])}\` to ${purpose}.`;
}
