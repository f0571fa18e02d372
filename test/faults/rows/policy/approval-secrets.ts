// Everything that agents can read is searched for data that would let them confirm a call as the user.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { askModern, openMcpSession } from "../../../support/mcp-http.js";
import { createStore, storeFile } from "../../../../src/store/create-store.js";
import { decideInStore } from "../../support/approve.js";
import { ATTACKS } from "../../support/attacks.js";
import { openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

/** Shorter pieces would be found by chance. */
const MIN_LENGTH = 12;

/** `count`: how often every way to approve one's own call is tried. */
export async function approvalSecrets({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const http = { port: 0, tokens: [tokenEntry("agent", { scopes: ["*"] })] };
    home.configure({ one: home.stdio("one") }, { policy: { confirmation: { mode: "human" } }, http });
    const received: string[] = [];
    const gateway = listenTo(await openGateway(home, { dist }), received);
    await gateway.execute({ server: "one", tool: "read", arguments: { id: "warm" } });
    const random = createRandom(seed);
    for (let round = 0; round < count; round += 1) {
      for (const [name, attack] of Object.entries(ATTACKS)) {
        await attack({ gateway, server: "one", random }, `secret-${name.replaceAll(" ", "-")}-${round}`);
      }
    }
    received.push(...(await askOverHttp(home, dist)));
    const approved = await approveOne(home, gateway);
    const secrets = await findSecrets(home);
    await gateway.close();
    const hits = secrets.flatMap(({ name, forms }) =>
      forms
        .filter((form) => received.some((text) => text.includes(form)))
        .map((form) => `${name} was revealed: ${form.slice(0, 8)}…`),
    );
    const control = received.some((text) => text.includes(approved))
      ? []
      : ["not even the id of an approval was found: the search does not work"];
    const few = secrets.length >= 4 ? [] : [`only ${secrets.length} secrets were found in the state folder`];
    const bytes = received.reduce((sum, text) => sum + text.length, 0);
    return {
      title: "approval secrets in what agents can read",
      n: received.length,
      injected: received.length,
      violations: [...hits, ...control, ...few],
      figures: { "bytes searched": bytes, secrets: secrets.length, hits: hits.length },
    };
  });
}

/** Records every response. */
function listenTo(gateway: Gateway, received: string[]): Gateway {
  const note = async <T>(answer: Promise<T>): Promise<T> => {
    const reported = await answer;
    received.push(JSON.stringify(reported));
    return reported;
  };
  return {
    ...gateway,
    execute: (execution) => note(gateway.execute(execution)),
    request: (method, params) => note(gateway.request(method, params)),
    raw: (line, id) => note(gateway.raw(line, id)),
  };
}

async function askOverHttp(home: FaultHome, dist: string): Promise<string[]> {
  const gateway = await openServedGateway(home, { dist });
  const caller = { url: gateway.url, token: tokenOf("agent") };
  const call = { name: "execute_tool", arguments: { server: "one", tool: "destroy", arguments: { id: "over-http" } } };
  const session = await openMcpSession(caller);
  const headers = { authorization: `Bearer ${caller.token}`, "content-type": "application/json" };
  const rest = await fetch(`${gateway.url}/api/adapters/one/tools/destroy`, {
    method: "POST",
    headers,
    body: '{"id":"rest"}',
  });
  const received = [
    JSON.stringify((await session.ask("tools/call", call)).messages),
    // A client with elicitation, which receives the request state of the question.
    JSON.stringify((await askModern(caller, "tools/call", { ...call, _meta: ASKABLE })).messages),
    JSON.stringify([...rest.headers]),
    await rest.text(),
  ];
  await gateway.stop();
  return received;
}

const ASKABLE = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };

/** The stored approval of a user; resolves with its id, which callers receive. */
async function approveOne(home: FaultHome, gateway: Gateway): Promise<string> {
  const call = { server: "one", tool: "destroy", arguments: { id: "approved" } };
  const asked = await gateway.execute(call);
  const id = asked.kind === "error" ? String(asked.error["approval_id"]) : "none";
  await decideInStore(home, id);
  await gateway.execute(call);
  return id;
}

interface Secret {
  readonly name: string;
  readonly forms: readonly string[];
}

/** Key files and the local token in several encodings, and the binding between an approval and its call. */
async function findSecrets(home: FaultHome): Promise<Secret[]> {
  const names = readdirSync(home.state).filter(
    (name) => statSync(join(home.state, name)).isFile() && /key|token/.test(name),
  );
  const files = names.map((name): Secret => ({ name, forms: toForms(readFileSync(join(home.state, name))) }));
  const store = createStore({ file: storeFile(home.state), inline: true });
  try {
    const states = ["pending", "redeemed"] as const;
    const approvals = (await Promise.all(states.map((state) => store.approvals.list(Date.now(), state)))).flat();
    const bindings = approvals.map(({ id, binding }): Secret => ({ name: `the binding of ${id}`, forms: [binding] }));
    return [...files, ...bindings];
  } finally {
    await store.close();
  }
}

function toForms(bytes: Buffer): string[] {
  const text = bytes.toString("utf8").trim();
  const lines = text.split("\n").filter((line) => !line.startsWith("-----"));
  const raw = [bytes, Buffer.from(text), Buffer.from(text, "hex"), Buffer.from(text, "base64")];
  const written = raw.flatMap((one) => [
    one.toString("hex"),
    one.toString("base64").replace(/=+$/, ""),
    one.toString("base64url"),
  ]);
  return [...lines, ...written].filter((form) => form.length >= MIN_LENGTH);
}
