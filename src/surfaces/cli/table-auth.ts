import type { CommandGroup, OptionSpec } from "./command.js";
import { SERVER } from "./table-arguments.js";

const ACTOR: OptionSpec = { flags: "--actor <id>", summary: "for this caller of the gateway, in place of you" };

export const auth: CommandGroup = {
  name: "auth",
  summary: "Sign in to remote servers, and out again.",
  examples: ["anygpt mcp auth login linear", "anygpt mcp auth status", "anygpt mcp auth logout linear"],
  commands: [
    {
      name: "login",
      summary: "Sign in to a server in the browser.",
      arguments: [SERVER],
      options: [
        {
          flags: "--no-browser",
          summary: "open nothing: print the address, and take the one that the browser ends at",
        },
        { flags: "--scope <scopes>", summary: "ask for these scopes too, with spaces between them" },
        {
          flags: "--port <n>",
          summary: "where the browser comes back to on this machine (default: any that is free)",
          number: { min: 1, max: 65_535, integer: true },
        },
        {
          flags: "--timeout <seconds>",
          summary: "how long to wait for the browser (default: 300)",
          number: { min: 1, max: 3600 },
        },
        ACTOR,
      ],
      examples: [
        "anygpt mcp auth login linear",
        "anygpt mcp auth login linear --no-browser",
        'anygpt mcp auth login linear --scope "issues:write"',
      ],
      load: async () => (await import("./commands/auth-login.js")).authLogin,
    },
    {
      name: "status",
      summary: "Show who is signed in to which server. Nothing is asked of the servers.",
      arguments: [{ ...SERVER, syntax: "[server]" }],
      examples: ["anygpt mcp auth status", "anygpt mcp auth status linear --json"],
      load: async () => (await import("./commands/auth-status.js")).authStatus,
    },
    {
      name: "logout",
      summary: "Sign out: at the authorization server where that is possible, and here.",
      arguments: [SERVER],
      options: [ACTOR],
      examples: ["anygpt mcp auth logout linear"],
      load: async () => (await import("./commands/auth-logout.js")).authLogout,
    },
  ],
};
