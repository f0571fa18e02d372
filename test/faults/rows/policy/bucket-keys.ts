// One caller pretends to be many to get more than one rate limit bucket. The gateway uses the authenticated identity,
// not what the caller claims.
import { askModern, openMcpSession } from "../../../support/mcp-http.js";
import { type Issuer, openIssuer } from "../../../support/issuer.js";
import { readAudit } from "../../support/audit.js";
import { openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { codeIn } from "../../support/entry-points.js";
import type { Json } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const LIMIT = 10;
const AUDIENCE = "https://gateway.example/mcp";
const TOOLS = ["read", "READ", "Read", "read ", "rеad", "ｒead", "read\u200b"] as const;
const SERVERS = ["one", "ONE", "one ", "оne"] as const;
const ADDRESSES = [
  "::1",
  "0:0:0:0:0:0:0:1",
  "::ffff:127.0.0.1",
  "127.1",
  "2001:db8::1",
  "2001:DB8:0::1",
  "[::1]",
  "10.0.0.1, ::1",
] as const;
const CLAIMS = [
  "x-forwarded-for",
  "x-real-ip",
  "forwarded",
  "x-actor-id",
  "x-user",
  "x-forwarded-user",
  "cf-connecting-ip",
  "true-client-ip",
] as const;

/** `count`: how many calls each caller makes. */
export async function bucketKeys({ count, seed, dist }: RowOptions): Promise<RowResult> {
  const issuer = await openIssuer();
  try {
    return await inHome(async (home) => {
      home.configure(
        { one: home.stdio("one") },
        {
          policy: {
            buckets: { few: { calls: LIMIT, perSeconds: 3600 } },
            rateLimits: [{ tools: "*", rate_limit_bucket: "few" }],
          },
          http: {
            port: 0,
            tokens: ["agent", "Agent"].map((name) => tokenEntry(name, { scopes: ["*"] })),
            oauth: { issuer: issuer.url, audience: AUDIENCE },
          },
        },
      );
      const gateway = await openServedGateway(home, { dist });
      const random = createRandom(seed);
      const callers: Record<string, () => string | Promise<string>> = {
        "token:agent": () => tokenOf("agent"),
        "token:Agent": () => tokenOf("Agent"),
        ann: () => rotating(issuer, "ann", random),
        // A caller with the same name as another is a different caller.
        impostor: () => rotating(issuer, "token:agent", random),
      };
      const violations: string[] = [];
      const ran: Record<string, number> = {};
      for (const [name, tokenFor] of Object.entries(callers)) {
        const codes: string[] = [];
        for (let number = 0; number < count; number += 1) {
          const id = `${name}-${number}`;
          codes.push(await call({ url: gateway.url, token: await tokenFor(), id, random }));
        }
        ran[name] = home.ledger.entries().filter(({ kind, id }) => kind === "call" && id.startsWith(`${name}-`)).length;
        if (ran[name] !== LIMIT) violations.push(`${name}: ${ran[name]} calls ran with a limit of ${LIMIT}`);
        if (!codes.includes("RATE_LIMITED"))
          violations.push(`${name}: was never limited: ${[...new Set(codes)].join()}`);
      }
      await gateway.stop();
      violations.push(...(await readAudit(home, dist)).violations);
      const n = count * Object.keys(callers).length;
      return {
        title: "one caller that pretends to be many",
        n,
        injected: n,
        violations,
        figures: { limit: LIMIT, ...ran },
      };
    });
  } finally {
    await issuer.close();
  }
}

/** Another token of the same caller each time. */
function rotating(issuer: Issuer, sub: string, random: Random): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const own = { jti: String(random.next()), client_id: String(random.next()), name: String(random.next()) };
  return issuer.sign({
    iss: issuer.url,
    aud: AUDIENCE,
    sub,
    iat: now - random.between(0, 60),
    exp: now + 300,
    scope: "*",
    ...own,
  });
}

interface Disguised {
  readonly url: string;
  readonly token: string;
  readonly id: string;
  readonly random: Random;
}

async function call({ url, token, id, random }: Disguised): Promise<string> {
  // Most calls name the tool correctly: the others find none and do not count for the limit.
  const tool = random.chance(0.7) ? "read" : random.pick(TOOLS);
  const server = random.chance(0.8) ? "one" : random.pick(SERVERS);
  const headers = { [random.pick(CLAIMS)]: random.pick(ADDRESSES) };
  const caller = { url, token: random.chance(0.2) ? ` ${token}` : token };
  const _meta = { actor: String(random.next()), "anygpt/actor": "other", progressToken: random.next() };
  const execution: Json = { server, tool, arguments: { id }, options: { idempotency_key: id } };
  const params = { name: "execute_tool", arguments: execution, _meta };
  switch (random.between(0, 4)) {
    case 0:
      return codeIn((await askModern(caller, "tools/call", params)).answer);
    case 1: {
      const session = await openMcpSession(caller);
      return codeIn((await session.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers)).answer);
    }
    case 2: {
      const operation = { tool_id: `${server}:${tool}`, params: { id }, options: { idempotency_key: id } };
      const at = { ...caller, path: "/mcp/gateway" };
      return codeIn((await askModern(at, "tools/call", { name: "gateway.execute", arguments: operation })).answer);
    }
    default: {
      const path = `${encodeURIComponent(server)}/tools/${encodeURIComponent(tool)}`;
      const response = await fetch(`${url}/api/adapters/${path}`, {
        method: "POST",
        headers: { ...headers, authorization: `bEARER ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ id }),
      });
      return codeIn(await response.json());
    }
  }
}
