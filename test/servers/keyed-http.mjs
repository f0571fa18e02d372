// Streamable HTTP with JSON answers, on a port from the system, which it prints. It reads its tools from a file at every list request.
// Start: node keyed-http.mjs TOOLS.json [HEADER VALUE [CHALLENGE]]; without the header it answers 401.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [file, header, value, challenge] = process.argv.slice(2);

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "keyed", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: JSON.parse(readFileSync(file, "utf8")) }),
  "tools/call": ({ name, arguments: args }) => ({
    content: [{ type: "text", text: `${name} ${JSON.stringify(args)}` }],
    ...(name === "fail" ? { isError: true } : {}),
  }),
};

const server = createServer(async (request, response) => {
  if (header !== undefined && request.headers[header.toLowerCase()] !== value) {
    return response.writeHead(401, challenge === undefined ? {} : { "www-authenticate": challenge }).end();
  }
  if (request.method !== "POST") return response.writeHead(405).end();
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString());
  if (id === undefined) return response.writeHead(202).end();
  const run = METHODS[method];
  const answer = run === undefined ? { error: { code: -32601, message: "Method not found" } } : { result: run(params) };
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
