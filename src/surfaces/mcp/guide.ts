const SHARED = `- A failed call answers \`{"success": false, "error": {code, message, hint, retryable, executed}}\`. The hint says what to do next; \`executed\` says whether the tool ran: only repeat a call that says "no".
- A call that could do harm may need a person's word. A client that can ask them does so by itself; otherwise the call fails with \`CONFIRMATION_REQUIRED\`, and the hint says how it can run.
- \`options.idempotency_key\` keeps a call from running twice: repeated with the same key and arguments, it gives the first answer again.
- \`options.dry_run\` says what a call would do, and does nothing.
- An answer that was cut names resources \`anygpt://results/ID/PAGE\` with the whole of it.
- \`anygpt://tools/SERVER/TOOL\` is a tool's full definition, every word of it.
`;

const BESIDE = `- \`anygpt://servers/SERVER/ADDRESS\` is a resource of a server, by the address that the server gives it. Its prompts are named SERVER__PROMPT.
`;

/** The resource `anygpt://guide`: what an agent or a person can read about the gateway through the protocol itself. */
export const GUIDE = `# How to use this gateway

This server stands in front of other MCP servers. Their tools are not listed here; they are found, read and run through five tools.

1. \`search_tools\` with what you want to do, in plain words. The best hit often carries its signature: then go to step 3.
2. \`get_tool_details\` with the server and tool of a hit, for its parameters.
3. \`execute_tool\` with server, tool and arguments. The answer is the tool's own.

\`list_mcp_servers\` names the servers, \`list_tools\` all tools of one.

${SHARED}${BESIDE}`;

/** The same for the profile `gateway`. */
export const GATEWAY_GUIDE = `# How to use this gateway

This server stands in front of REST APIs and other MCP servers. Their operations are not listed here; they are found and run through five tools.

1. \`gateway.intent\` with what you want to do, in plain words, and if it matters with country, currency and use case. Its answer has everything that a call needs, or options to choose from.
2. \`gateway.execute\` with the tool_id and params.

\`gateway.adapters\` names the services, \`gateway.tools\` the operations of one, \`gateway.reference\` how to sign in, what errors mean and how calls are made safe.

${SHARED}${BESIDE}`;

/** The same where every tool is listed under a name of its own. */
export const FULL_GUIDE = `# How to use this gateway

This server stands in front of other servers and lists all of their tools. Call them by the names in the list; answers are the tools' own.

${SHARED}`;
