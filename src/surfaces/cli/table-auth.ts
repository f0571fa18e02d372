import { type CommandGroup, type OptionTable, toOptions } from "./command.js";
import { SERVER } from "./table-arguments.js";

const ACTOR: OptionTable = {
  "--actor <id>": "the actor that the sign-in belongs to (default: local, the user of this command line)",
};

export const auth: CommandGroup = {
  name: "auth",
  summary: "Sign in to remote servers, sign out, and show the status.",
  examples: ["anygpt mcp auth login linear", "anygpt mcp auth status", "anygpt mcp auth logout linear"],
  commands: [
    {
      name: "login",
      summary: "Sign in to a server with the browser.",
      arguments: [SERVER],
      options: toOptions({
        "--no-browser": "do not open a browser: print the sign-in URL, and ask for the URL that it redirects to",
        "--scope <scopes>": "request these scopes too, separated by spaces",
        "--port <n>": {
          summary: "local port for the redirect from the browser (default: any free port)",
          number: { min: 1, max: 65_535, integer: true },
        },
        "--timeout <seconds>": {
          summary: "how long to wait for the browser (default: 300)",
          number: { min: 1, max: 3600 },
        },
        ...ACTOR,
      }),
      examples: [
        "anygpt mcp auth login linear",
        "anygpt mcp auth login linear --no-browser",
        'anygpt mcp auth login linear --scope "issues:write"',
      ],
      load: async () => (await import("./commands/auth.js")).authLogin,
    },
    {
      name: "status",
      summary: "Show the sign-in state of each server, without contacting the servers.",
      arguments: [{ ...SERVER, syntax: "[server]" }],
      examples: ["anygpt mcp auth status", "anygpt mcp auth status linear --json"],
      load: async () => (await import("./commands/auth.js")).authStatus,
    },
    {
      name: "logout",
      summary: "Sign out: delete the stored tokens, and revoke them if the authorization server supports that.",
      arguments: [SERVER],
      options: toOptions({ ...ACTOR }),
      examples: ["anygpt mcp auth logout linear"],
      load: async () => (await import("./commands/auth.js")).authLogout,
    },
  ],
};
