// The ratel library, set up as its documentation shows: a gateway for a configuration, served over stdio. Start: node ratel.mjs PLACE CONFIG
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [place, config] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(place, file)).href);
const { buildGatewayFromConfig, createMcpServer, parseConfig } = await load("@ratel-ai/mcp-server/dist/index.js");
const { StdioServerTransport } = await load("@modelcontextprotocol/sdk/dist/esm/server/stdio.js");

const gateway = await buildGatewayFromConfig(parseConfig(JSON.parse(readFileSync(config, "utf8"))));
const transport = new StdioServerTransport();
await createMcpServer(gateway.catalog, {
  name: "ratel-gateway",
  version: "0.0.0",
  transport,
  upstreamServers: gateway.upstreamServers,
});

process.stdin.once("end", async () => {
  await gateway.close();
  process.exit(0);
});
