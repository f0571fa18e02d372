// DNS rebinding: the exact bytes that a browser sends for a page whose name resolves to loopback. The gateway reveals
// nothing and executes nothing.
import { modern } from "../../../support/mcp-http.js";
import { inHome } from "../../support/home.js";
import { PAGES, pageRequests } from "../../support/page-requests.js";
import { openRaw, type RawAnswer } from "../../support/raw-http.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, type ServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";

const LIMIT_MS = 20_000;
const AT_ONCE = 8;
/** Content that only authorized callers may receive. */
const DATA = /faultd|effect|Does something|"tools"|"servers"|mcp-session-id|access-control-allow/i;

const CALL = { name: "execute_tool", arguments: { server: "one", tool: "effect", arguments: { id: "rebound" } } };
const HELLO = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "page", version: "1" } },
};
const CALLS = [
  { method: "POST", target: "/mcp", body: JSON.stringify(modern("tools/call", CALL).body) },
  { method: "POST", target: "/mcp", body: JSON.stringify(HELLO) },
  { method: "POST", target: "/mcp/gateway", body: JSON.stringify(modern("tools/list").body) },
  { method: "GET", target: "/mcp" },
  { method: "DELETE", target: "/mcp" },
  { method: "POST", target: "/api/adapters/one/tools/effect", body: '{"id":"rebound"}' },
  { method: "GET", target: "/api/adapters" },
  { method: "GET", target: "/api/search?q=effect" },
  { method: "HEAD", target: "/api/adapters" },
  { method: "GET", target: "/openapi.json" },
  { method: "GET", target: "/metrics" },
  { method: "GET", target: "/healthz" },
];

/** `count`: how many host names are tried, each with every request. */
export async function rebinding({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") }, { http: { tokens: [tokenEntry("ann", { scopes: ["*"] })] } });
    const gateway = await openServedGateway(home, { dist });
    const { port } = gateway;
    await assertOpen(gateway);
    const before = home.ledger.entries().length;
    const token = tokenOf("ann");
    const requests = PAGES.slice(0, count).flatMap((page) => pageRequests({ page, port, token, calls: CALLS }));
    const violations: string[] = [];
    const statuses = new Map<number, number>();
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
        const connection = await openRaw(port);
        connection.write(request.bytes);
        const answer = await connection.next(LIMIT_MS, request.isToHead);
        connection.end();
        const status = typeof answer === "string" ? 0 : answer.status;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        violations.push(...judge(request.what, answer));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await assertOpen(gateway);
    const reached = home.ledger
      .entries()
      .slice(before)
      .filter(({ id }) => id === "rebound");
    violations.push(...reached.map(({ kind }) => `a page reached the server: ${kind}`));
    return {
      title: "DNS rebinding",
      n: requests.length,
      injected: requests.length,
      violations,
      figures: {
        names: Math.min(count, PAGES.length),
        "reached a tool": reached.length,
        ...Object.fromEntries([...statuses].map(([status, times]) => [`${status}`, times])),
        browser: "none: its bytes, over sockets",
      },
    };
  });
}

function judge(what: string, answer: RawAnswer | "closed" | "nothing"): string[] {
  if (typeof answer === "string") return [`${what} got no answer (${answer})`];
  const reported = `${[...answer.headers].join("\n")}\n${answer.body}`;
  const isRefused = answer.status === 403 || answer.status === 400;
  if (isRefused && !DATA.test(reported)) return [];
  return [`${what} was answered with ${answer.status} ${reported.slice(0, 200)}`];
}

/** With its own host name the gateway serves the same caller: only the page is rejected. */
async function assertOpen({ url }: ServedGateway): Promise<void> {
  const { status } = await fetch(`${url}/api/adapters`, { headers: { authorization: `Bearer ${tokenOf("ann")}` } });
  if (status !== 200) throw new Error(`An authorized caller got ${status}.`);
}
