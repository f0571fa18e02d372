/** The name of a configuration file that an edit creates. */
export const NEW_CONFIG = "mcp-discovery.config.yaml";

/** The content of a new configuration file: it uses the servers of every MCP client and has an empty list for more. */
export function templateFor(file: string): string {
  if (/\.ya?ml$/i.test(file)) return YAML;
  return /\.jsonc$/i.test(file) ? JSONC : JSON_TEXT;
}

const YAML = `# Configuration of the anygpt MCP gateway.
# \`anygpt mcp config validate\` checks this file. docs/reference/configuration.md describes every key.

# Use the servers of every MCP client on this machine (Claude, Cursor, VS Code and others).
# Without this line only the servers below are used. \`anygpt mcp config sources\` lists the files and their servers.
sources: all

# More servers. \`anygpt mcp add\` writes them here, for example:
#
#   files:
#     command: npx
#     args: [-y, "@modelcontextprotocol/server-filesystem", /home/me/documents]
#   tracker:
#     url: https://mcp.example.com/mcp
#     headers:
#       Authorization: Bearer \${TRACKER_TOKEN} # from the environment or ~/.ai/.env
#   github:
#     enabled: false # disables the server of that name from an MCP client
servers: {}

# Rules that hide tools or tag them:
#
# toolRules:
#   - pattern: ["*delete*"]
#     enabled: false
`;

const JSONC = `// Configuration of the anygpt MCP gateway.
// \`anygpt mcp config validate\` checks this file. docs/reference/configuration.md describes every key.
{
  // Use the servers of every MCP client on this machine (Claude, Cursor, VS Code and others).
  // Without this line only the servers below are used. \`anygpt mcp config sources\` lists the files and their servers.
  "sources": "all",

  // More servers. \`anygpt mcp add\` writes them here, for example:
  //   "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/documents"] },
  //   "github": { "enabled": false } disables the server of that name from an MCP client
  "servers": {}
}
`;

const JSON_TEXT = `{
  "sources": "all",
  "servers": {}
}
`;
