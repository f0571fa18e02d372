// A payment API with side effects, on a port from the system, which it prints. Every charge and refund adds a line to
// the file LEDGER; callers need the bearer token TOKEN. It keeps no promise about idempotency keys: a charge that is sent
// twice is made twice. Start: node payments.mjs
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

const { LEDGER, TOKEN } = process.env;
const MAX_AMOUNT = 1_000_000;
const charges = new Map();

const fail = (status, code, message) => ({ status, body: { error: { code, message } } });

function createCharge({ amount, currency, email }, key) {
  if (amount > MAX_AMOUNT) return fail(402, "card_declined", `The card does not cover ${amount}.`);
  const charge = { id: `ch_${charges.size + 1}`, amount, currency, email, status: "succeeded" };
  charges.set(charge.id, charge);
  write(`charge ${amount} ${currency} ${email}`, key);
  return { status: 201, body: charge };
}

function createRefund({ charge: id }, key) {
  const charge = charges.get(id);
  if (charge === undefined) return fail(404, "no_such_charge", `There is no charge ${id}.`);
  charges.set(id, { ...charge, status: "refunded" });
  write(`refund ${id}`, key);
  return { status: 201, body: { charge: id, amount: charge.amount, status: "refunded" } };
}

function write(what, key) {
  appendFileSync(LEDGER, `${what} key=${key ?? "-"}\n`);
}

function answer({ method, url, headers }, body) {
  if (headers.authorization !== `Bearer ${TOKEN}`) return fail(401, "invalid_key", "The key is not valid.");
  const [, resource, id] = /^\/v1\/(charges|refunds)(?:\/([^/?]+))?(?:\?|$)/.exec(url) ?? [];
  const key = headers["idempotency-key"];
  if (method === "POST" && resource === "charges") return createCharge(body, key);
  if (method === "POST" && resource === "refunds") return createRefund(body, key);
  if (method !== "GET" || resource !== "charges") return fail(404, "no_route", "The path does not exist.");
  if (id === undefined) return { status: 200, body: { charges: [...charges.values()] } };
  const charge = charges.get(decodeURIComponent(id));
  return charge === undefined
    ? fail(404, "no_such_charge", `There is no charge ${id}.`)
    : { status: 200, body: charge };
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
  const { status, body: json } = answer(request, body);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
