// A server that reveals every value it received, in every form and in every message except a result, and then fails.
// Start: node canary-server.mjs stdio MODE, or node canary-server.mjs http, which prints its port; there the path is the mode.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [, , transport, mode] = process.argv;
/** Variables that every process has. Any other variable was configured for the server or leaked to it. */
const SAFE = /^(?:PATH|HOME|TMPDIR|USER|LOGNAME|SHELL|LANG|TERM|CANARY_FILE|ANYGPT_\w+)$/;

/** One line with every value in every form. */
function quote(values) {
  return values
    .flatMap((value) => [
      value,
      encodeURIComponent(value),
      new URLSearchParams({ q: value }).toString(),
      JSON.stringify({ value }),
      JSON.stringify(JSON.stringify({ value })),
      ...["", "u", "us"].flatMap((user) => [
        Buffer.from(`${user}:${value}:rest`).toString("base64"),
        Buffer.from(`${user}:${value}`).toString("base64url"),
      ]),
      Buffer.from(value).toString("hex"),
    ])
    .join(" | ")
    .replaceAll("\n", " ");
}

/** Values of another server, as a program that reads logs would find them. */
function valuesInLogs() {
  const file = process.env.CANARY_FILE;
  return file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
}

const ownValues = () => [
  ...Object.entries(process.env)
    .filter(([name]) => !SAFE.test(name))
    .map(([, value]) => value),
  ...valuesInLogs(),
];

const tool = (name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { count: { type: "integer" }, text: { type: "string" } } },
  annotations: name === "destroy" ? { destructiveHint: true } : { readOnlyHint: true },
});
const FAULTS = ["reject", "reject_whole", "log", "progress", "crash", "flood", "hang", "odd_result"];
const TOOLS = [...FAULTS, "fine", "destroy"].map(tool);

/** Answers one request; `out` writes other output, `end` aborts. */
function answer({ method, params = {} }, values, { out, end, stderr }) {
  const said = quote(values);
  const fail = (message, data) => ({ error: { code: -32_000, message, ...(data === undefined ? {} : { data }) } });
  if (method === "initialize") {
    if (mode === "refuse") return fail(`not with ${said}`, { values });
    const protocolVersion = mode === "version" ? said : params.protocolVersion;
    const result = {
      protocolVersion,
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: "c", version: "1" },
    };
    if (mode === "leave") end(said);
    return { result };
  }
  if (method === "tools/list") {
    if (mode === "unlisted") return fail(`no list: ${said}`, { nested: { values } });
    return { result: mode === "mislisted" ? { tools: said } : { tools: TOOLS } };
  }
  if (method !== "tools/call") return { error: { code: -32_601, message: "Method not found" } };
  switch (params.name) {
    case "reject":
      return fail(`rejected: ${said}`, { values });
    case "reject_whole":
      // Longer than any quoted excerpt, so that the cut falls inside a value.
      return fail(`${values.join(" ")} ${`${said} `.repeat(50)}`, { values });
    case "log":
      out("notifications/message", { level: "error", logger: said, data: { [said]: [{ deep: { values, said } }] } });
      out("notifications/message", { level: "info", data: said });
      return { result: { content: [{ type: "text", text: "logged" }] } };
    case "progress": {
      const progressToken = params._meta?.progressToken;
      for (let progress = 1; progress < 4; progress += 1)
        out("notifications/progress", { progressToken, progress, message: said });
      return fail(said);
    }
    case "crash":
      return end(said);
    case "flood":
      for (let line = 0; line < 60; line += 1) stderr(`${"x".repeat(line)}${said}`);
      return end(values.join(""));
    case "hang":
      return stderr(said);
    case "odd_result":
      return { result: { resultType: said, content: [] } };
    default:
      return { result: { content: [{ type: "text", text: "fine" }] } };
  }
}

function serveStdio() {
  const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const stderr = (text) => void process.stderr.write(`${text}\n`);
  const end = (text) => {
    stderr(text);
    process.exit(3);
  };
  const values = ownValues();
  if (mode === "exit") return end(`cannot start with ${quote(values)}`);
  if (mode === "stray") {
    process.stdout.write(`${"-".repeat(150)} ${quote(values)}\n`);
    return end(values.join("\n"));
  }
  if (mode === "mute") stderr(quote(values));
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      const request = JSON.parse(line);
      if (request.id === undefined || mode === "mute") return;
      const out = (method, params) => say({ method, params });
      const reply = answer(request, values, { out, end, stderr });
      if (reply !== undefined) say({ id: request.id, ...reply });
    })
    .on("close", () => process.exit(0));
}

/** Everything that came with the request: headers other than the protocol's, the query, the password. */
function valuesOf({ headers, url }) {
  const query = [...new URL(url, "http://h").searchParams.values()];
  const given = Object.entries(headers).filter(([name]) => name === "authorization" || name.startsWith("x-"));
  const login = /^Basic (.+)$/.exec(headers.authorization ?? "")?.[1];
  return [...query, ...given.map(([, value]) => value), ...(login ? [Buffer.from(login, "base64").toString()] : [])];
}

const REFUSALS = { unauthorized: 401, forbidden: 403, broken: 500, gone: 404, busy: 503, redirect: 302 };

async function respond(request, response) {
  const values = valuesOf(request);
  const said = quote(values);
  const kind = new URL(request.url, "http://h").pathname.slice(1);
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const echo = { "x-echo": encodeURIComponent(said), "www-authenticate": `Bearer error="${encodeURIComponent(said)}"` };
  const status = REFUSALS[kind];
  if (status !== undefined) {
    const location = status === 302 ? { location: `http://127.0.0.1:1/?${encodeURIComponent(said)}` } : {};
    return response.writeHead(status, { ...echo, ...location, "content-type": "text/plain" }).end(said);
  }
  if (request.method !== "POST") return response.writeHead(405, echo).end(said);
  if (kind === "page") return response.writeHead(200, { ...echo, "content-type": "text/html" }).end(said);
  if (kind === "garbage") return response.writeHead(200, { "content-type": "application/json" }).end(`{"${said}`);
  if (kind === "reset")
    return response.writeHead(200, { "content-type": "application/json" }).write(said, () => response.destroy());
  const message = JSON.parse(Buffer.concat(chunks).toString());
  if (message.id === undefined) return response.writeHead(202).end();
  const events = [];
  const reply = answer(message, values, {
    out: (method, params) => events.push({ method, params }),
    end: () => undefined,
    stderr: () => undefined,
  });
  if (reply === undefined && message.params?.name === "hang") return undefined;
  if (reply === undefined) return response.destroy();
  response.writeHead(200, { ...echo, "content-type": "text/event-stream" });
  for (const event of [...events, { id: message.id, ...reply }])
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...event })}\n\n`);
  return response.end();
}

if (transport === "stdio") serveStdio();
else {
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
  process.stdin.resume().on("end", () => process.exit(0));
}
