const SHARED = `- A failed call returns \`{"success": false, "error": {code, message, hint, retryable, executed}}\`. The hint states the next action; \`executed\` says whether the tool ran. Only repeat a call with \`executed: "no"\`.
- A risky call may need a confirmation by the user. If the client supports elicitation, the gateway asks the user through it; otherwise the call fails with \`CONFIRMATION_REQUIRED\`, and the hint explains how to confirm it.
- \`options.idempotency_key\` prevents a call from running twice: a repeated call with the same key and arguments returns the first answer again.
- \`options.dry_run\` reports what a call would do without running it.
- A truncated answer names the resources \`anygpt://results/ID/PAGE\` with the complete result.
- \`anygpt://tools/SERVER/TOOL\` is the complete definition of a tool.
`;

const PROMPTS_AND_RESOURCES = `- \`anygpt://servers/SERVER/URI\` is the resource of a server with that URI. The prompts of a server are named SERVER__PROMPT.
`;

/** The text of the resource `anygpt://guide` in the profile `discovery`. */
export const GUIDE = `# How to use this gateway

This server is a gateway to other MCP servers. Their tools are not listed here: find, inspect and run them with five tools.

1. Call \`search_tools\` with what you want to do, in plain words. The best hit often has its signature: then go to step 3.
2. Call \`get_tool_details\` with the server and tool of a hit to read its parameters.
3. Call \`execute_tool\` with server, tool and arguments. It returns the tool's own result.

\`list_mcp_servers\` lists the servers, \`list_tools\` lists all tools of one server.

${SHARED}${PROMPTS_AND_RESOURCES}`;

/** The text of the resource `anygpt://guide` in the profile `gateway`. */
export const GATEWAY_GUIDE = `# How to use this gateway

This server is a gateway to REST APIs and other MCP servers. Their operations are not listed here: find and run them with five tools.

1. Call \`gateway.intent\` with what you want to do, in plain words; add country, currency and use case if they matter. The answer has everything that a call needs, or options to choose from.
2. Call \`gateway.execute\` with the tool_id and params.

\`gateway.adapters\` lists the services, \`gateway.tools\` lists the operations of one service, and \`gateway.reference\` explains authentication, errors and safe usage.

${SHARED}${PROMPTS_AND_RESOURCES}`;

/** The text of the resource `anygpt://guide` in full mode. */
export const FULL_GUIDE = `# How to use this gateway

This server is a gateway to other servers and lists all their tools. Call them by the names in the list; each call returns the tool's own result.

${SHARED}`;
