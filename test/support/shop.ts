import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createHome, type Home, testServer } from "./gateway.js";

export const TOKEN = "sk_test_4f1d0c9b7a";
export const CHARGE = { amount: 5000, currency: "NGN", email: "ada@example.com" };

const json = (schema: object) => ({ content: { "application/json": { schema } } });
const failures = { "401": { description: "The key is not valid." }, "402": { description: "The card is declined." } };

/** The document of test/servers/payments.mjs. */
export const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Payments", version: "1.0.0", description: "Take payments by card and give them back." },
  servers: [{ url: "https://payments.invalid/v1" }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
  paths: {
    "/charges": {
      post: {
        operationId: "createCharge",
        summary: "Charge a customer's card.",
        tags: ["charges"],
        requestBody: {
          required: true,
          ...json({
            type: "object",
            properties: {
              amount: { type: "integer", minimum: 1, description: "Amount in the smallest unit of the currency." },
              currency: { type: "string", enum: ["NGN", "GHS", "KES"] },
              email: { type: "string", description: "Where the receipt goes." },
              note: { type: "string" },
            },
            required: ["amount", "currency", "email"],
            example: CHARGE,
          }),
        },
        responses: { "201": { description: "The charge." }, ...failures },
      },
      get: {
        operationId: "listCharges",
        summary: "List charges.",
        tags: ["charges"],
        parameters: [{ name: "limit", in: "query", schema: { type: "integer" } }],
        responses: { "200": { description: "The charges." } },
      },
    },
    "/charges/{id}": {
      get: {
        operationId: "getCharge",
        summary: "Look at one charge.",
        tags: ["charges"],
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: { "200": { description: "The charge." }, "404": { description: "There is none." } },
      },
    },
    "/refunds": {
      post: {
        operationId: "createRefund",
        summary: "Give back the money of a charge.",
        tags: ["refunds"],
        requestBody: {
          required: true,
          ...json({ type: "object", properties: { charge: { type: "string" } }, required: ["charge"] }),
        },
        responses: { "201": { description: "The refund." }, ...failures },
      },
    },
  },
};

export interface Shop extends Home {
  /** The effects that really happened at the API. */
  ledger(): string[];
  writeDocument(document: object): void;
  /** Stops the API and removes the home folder. */
  close(): Promise<void>;
}

/** Matches the ledger entry of an effect whose key is a UUID, which the gateway derives from the key of the caller. */
export const entryOf = (effect: string): RegExp =>
  new RegExp(`^${effect.replaceAll(".", String.raw`\.`)} key=[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`);

/** The API in test/servers/payments.mjs, and a home folder whose configuration has it as an adapter. */
export async function createShop(
  config: object = {},
  env: Record<string, string> = { PAYMENTS_TOKEN: TOKEN },
): Promise<Shop> {
  const home = createHome({});
  const ledger = join(home.folder, "ledger.txt");
  const document = join(home.folder, "payments.json");
  const { port, child } = await startApi({ PATH: home.env["PATH"] ?? "", LEDGER: ledger, TOKEN });
  const writeDocument = (value: object): void => {
    writeFileSync(`${document}.new`, JSON.stringify(value));
    renameSync(`${document}.new`, document);
  };
  writeDocument(DOCUMENT);
  const payments = {
    document: "payments.json",
    baseUrl: `http://127.0.0.1:${port}/v1`,
    auth: { type: "bearer", token: "${PAYMENTS_TOKEN}" },
    idempotencyHeader: "Idempotency-Key",
    category: "payments",
    capabilities: ["card_payments", "refunds"],
    countries: ["NG", "GH", "KE"],
    currencies: ["NGN", "GHS", "KES"],
    documentation: "https://payments.invalid/docs",
    operations: [
      { tools: "create-charge", risk: "high" },
      { tools: "create-refund", risk: "destructive" },
    ],
  };
  writeFileSync(home.config, JSON.stringify({ profile: "gateway", adapters: { payments }, ...config }));
  return {
    ...home,
    env: { ...home.env, ...env },
    ledger: () => (existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : []),
    writeDocument,
    async close() {
      await endProcess(child);
      home.remove();
    },
  };
}

async function startApi(env: Record<string, string>): Promise<{ port: number; child: ChildProcess }> {
  const { command, args } = testServer("payments.mjs");
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { port: Number(line), child };
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
