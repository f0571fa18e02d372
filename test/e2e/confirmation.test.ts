import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DiscoveryEngine } from "../../src/engine.js";
import { errorOf } from "../support/error-of.js";
import {
  ANYGPT,
  createHome,
  DISCOVERY,
  type Home,
  INITIALIZE,
  nodeServer,
  spawnGateway,
  testServer,
} from "../support/gateway.js";

type Answer = { action: "accept"; content: { confirm: boolean } } | { action: "decline" } | { action: "cancel" };
const YES: Answer = { action: "accept", content: { confirm: true } };

interface Failure {
  readonly code: string;
  readonly hint: string;
  readonly approval_id: string;
  readonly executed: string;
}

const closings: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

interface Bank {
  readonly home: Home;
  /** The ledger entries of this account: the effects that really happened. */
  readonly ledger: (name: string) => string[];
}

/** A home folder with one server that keeps a ledger. */
function createBank(policy: object = {}): Bank {
  const home = createHome({});
  closings.push(() => home.remove());
  const file = join(home.folder, "ledger.txt");
  const servers = { bank: { ...testServer("ledger.mjs"), env: { LEDGER: file } } };
  writeFileSync(home.config, JSON.stringify({ servers, policy }));
  const lines = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
  return { home, ledger: (name) => lines().filter((line) => line.includes(`"${name}"`)) };
}

const ERAS: [string, ClientOptions][] = [
  ["the handshake", {}],
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
];

/** Gives the same answer to every elicitation and records it. */
class TestUser {
  readonly questions: string[] = [];
  answer: Answer = YES;
}

/** The official client, with or without a user who can answer elicitations. */
async function connect({ home }: Bank, options: ClientOptions, user?: TestUser) {
  const capabilities = user === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: "test", version: "1.0.0" }, { ...options, capabilities });
  if (user !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      user.questions.push(params.message);
      return user.answer;
    });
  }
  const command = nodeServer(DISCOVERY, "--config", home.config);
  await client.connect(new StdioClientTransport({ ...command, env: home.env, stderr: "ignore" }));
  closings.push(() => client.close());
  return async (tool: string, name: string, chosen: object = {}, _meta: object = {}) => {
    const args = { server: "bank", tool, arguments: { name }, options: chosen };
    const result = await client.callTool({ name: "execute_tool", arguments: args, _meta: { ..._meta } });
    const text = result.content.map((item) => ("text" in item ? item.text : "")).join("");
    return { text, error: errorOf(result) as Failure | undefined, meta: result._meta };
  };
}
type Execute = Awaited<ReturnType<typeof connect>>;

describe.each(ERAS)("with %s, a client that supports elicitation", (_, options) => {
  describe.each(["auto", "human"])("in mode %s", (mode) => {
    const user = new TestUser();
    let bank: Bank;
    let execute: Execute;
    beforeAll(async () => {
      bank = createBank({ confirmation: { mode } });
      execute = await connect(bank, options, user);
    });
    beforeEach(() => {
      user.answer = YES;
      user.questions.length = 0;
    });

    it("runs a destructive call after the user accepts, and asks for each call", async () => {
      expect((await execute("delete", "alice")).text).toBe("delete: alice");
      expect(user.questions).toHaveLength(1);
      for (const shown of ["bank:delete", "destructive", "destructiveHint", '"name": "alice"']) {
        expect(user.questions[0]).toContain(shown);
      }
      expect((await execute("delete", "alice")).text).toBe("delete: alice");
      expect(user.questions).toHaveLength(2);
      expect(bank.ledger("alice")).toHaveLength(2);
    });

    it("runs read-only calls without asking", async () => {
      expect((await execute("look", "alice")).text).toBe("look: alice");
      expect(user.questions).toEqual([]);
    });

    it.each<[string, string, Answer, string]>([
      ["declines", "bob", { action: "decline" }, "POLICY_DENIED"],
      ["closes the dialogue", "carol", { action: "cancel" }, "CONFIRMATION_REQUIRED"],
      ["does not tick the box", "dave", { action: "accept", content: { confirm: false } }, "CONFIRMATION_REQUIRED"],
    ])("runs nothing when the user %s", async (__, name, answer, code) => {
      user.answer = answer;
      expect((await execute("delete", name)).error).toMatchObject({ code, executed: "no" });
      expect(user.questions).toHaveLength(1);
      expect(bank.ledger(name)).toEqual([]);
    });

    it("cannot confirm on behalf of the user", async () => {
      user.answer = { action: "cancel" };
      for (let count = 0; count < 3; count += 1) {
        expect((await execute("delete", "erin", { confirmed: true })).error?.code).toBe("CONFIRMATION_REQUIRED");
      }
      expect(user.questions).toHaveLength(3);
      expect(bank.ledger("erin")).toEqual([]);
    });
  });
});

describe.each(ERAS)("with %s, a client without elicitation", (_, options) => {
  let bank: Bank;
  let execute: Execute;
  beforeAll(async () => {
    bank = createBank();
    execute = await connect(bank, options);
  });

  it("confirms by repeating the call with confirmed: true, once, and never with the first call", async () => {
    const first = await execute("delete", "alice", { confirmed: true });
    expect(first.error).toMatchObject({ code: "CONFIRMATION_REQUIRED", executed: "no" });
    expect(first.error?.approval_id).toMatch(/^ap_/);
    expect((await execute("delete", "bob", { confirmed: true })).error?.code).toBe("CONFIRMATION_REQUIRED");
    expect((await execute("delete", "alice")).error?.code).toBe("CONFIRMATION_REQUIRED");
    expect(bank.ledger("alice")).toEqual([]);
    expect((await execute("delete", "alice", { confirmed: true })).text).toBe("delete: alice");
    expect((await execute("delete", "alice", { confirmed: true })).error?.code).toBe("CONFIRMATION_REQUIRED");
    expect(bank.ledger("alice")).toEqual(['delete {"name":"alice"}']);
    expect(bank.ledger("bob")).toEqual([]);
  });

  it("gets the stored answer for the same key, in the arguments or in _meta", async () => {
    const first = await execute("create", "carol", { idempotency_key: "k-1" });
    expect(first.text).toBe("create: carol");
    const again = await execute("create", "carol", {}, { "anygpt/idempotencyKey": "k-1" });
    expect(again.text).toBe("create: carol");
    expect(again.meta).toMatchObject({ "anygpt/replayed": { request_id: expect.any(String) } });
    const other = await execute("create", "dave", { idempotency_key: "k-1" });
    expect(other.error?.code).toBe("IDEMPOTENCY_CONFLICT");
    expect(bank.ledger("carol")).toHaveLength(1);
    expect(bank.ledger("dave")).toEqual([]);
  });

  it("gets a description from a dry run that executes nothing", async () => {
    expect((await execute("create", "erin", { dry_run: true })).text).toContain('"dry_run":true');
    expect((await execute("delete", "erin", { dry_run: true })).text).toContain('"dry_run":true');
    expect((await execute("delete", "erin", { confirmed: true })).error?.code).toBe("CONFIRMATION_REQUIRED");
    expect(bank.ledger("erin")).toEqual([]);
  });

  it("waits in mode human for an operator's approval, whatever the client sends", async () => {
    const strict = createBank({ confirmation: { mode: "human" } });
    const { home } = strict;
    const call = await connect(strict, options);
    const ask = async (confirmed: boolean) => (await call("delete", "alice", { confirmed })).error;
    const { approval_id: id = "", hint } = (await ask(true)) ?? {};
    // The model only reads the hint, and the user needs the id.
    expect(hint).toContain(`\`anygpt mcp approve ${id}\``);
    for (let count = 0; count < 5; count += 1) expect((await ask(true))?.code).toBe("CONFIRMATION_REQUIRED");
    // A program has no terminal to answer at.
    const approve = [ANYGPT, "mcp", "approve", id, "--config", home.config];
    await expect(promisify(execFile)(process.execPath, approve, { env: home.env })).rejects.toMatchObject({ code: 4 });
    expect((await ask(true))?.code).toBe("CONFIRMATION_REQUIRED");
    expect(strict.ledger("alice")).toEqual([]);

    const engine = new DiscoveryEngine({}, { cwd: home.folder, env: home.env });
    await (await engine.stages()).confirmations.answer(id, "approved", "a person");
    await engine.close();
    expect((await call("delete", "alice")).text).toBe("delete: alice");
    expect((await ask(true))?.code).toBe("CONFIRMATION_REQUIRED");
    expect(strict.ledger("alice")).toHaveLength(1);
  });
});

describe("a client that writes raw protocol messages", () => {
  const envelope = (capabilities: object) => ({
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  });
  const deletion = {
    name: "execute_tool",
    arguments: { server: "bank", tool: "delete", arguments: { name: "alice" } },
  };

  function speak(home: Home) {
    const raw = spawnGateway(home);
    closings.push(async () => {
      raw.process.stdin.end();
      await raw.exit;
    });
    let next = 1;
    const request = async (params: object, method = "tools/call") => {
      const id = next++;
      raw.send({ id, method, params });
      return (await raw.answer(id)).result ?? {};
    };
    return { raw, request };
  }
  const codeIn = (result: Record<string, unknown>): string =>
    /"code":"(\w+)"/.exec(JSON.stringify(result.content).replaceAll("\\", ""))?.[1] ?? "";

  it("cannot confirm with a forged request state or one taken from an error", async () => {
    const { home, ledger } = createBank({ confirmation: { mode: "human" } });
    const { request } = speak(home);
    const asked = { ...deletion, _meta: envelope({ elicitation: {} }) };
    const inputResponses = { confirmation: YES };
    const reported = await request({ ...deletion, _meta: envelope({}) });
    expect(codeIn(reported)).toBe("CONFIRMATION_REQUIRED");
    const id = /ap_\w+/.exec(JSON.stringify(reported))?.[0] ?? "";
    for (const requestState of [undefined, "", id, `${id}.`, `${id}.${"A".repeat(43)}`, { id }]) {
      expect(await request({ ...asked, inputResponses, requestState })).toMatchObject({ resultType: "input_required" });
    }
    const { requestState } = await request(asked);
    const undeclared = await request({ ...deletion, inputResponses, requestState, _meta: envelope({}) });
    expect(codeIn(undeclared)).toBe("CONFIRMATION_REQUIRED");
    const bob = { ...deletion.arguments, arguments: { name: "bob" } };
    expect(await request({ ...asked, arguments: bob, inputResponses, requestState })).toMatchObject({
      resultType: "input_required",
    });
    expect(ledger("alice")).toEqual([]);
    expect(await request({ ...asked, inputResponses, requestState })).toMatchObject({ resultType: "complete" });
    expect(await request({ ...asked, inputResponses, requestState })).toMatchObject({ resultType: "input_required" });
    expect(ledger("alice")).toHaveLength(1);
  });

  it("leaves one audit record per round, each with its own request id", async () => {
    const { home } = createBank();
    const { request } = speak(home);
    const asked = { ...deletion, _meta: envelope({ elicitation: {} }) };
    const { requestState } = await request(asked);
    await request({ ...asked, inputResponses: { confirmation: YES }, requestState });
    const engine = new DiscoveryEngine({}, { cwd: home.folder, env: home.env });
    const { store } = (await engine.stages()).persistence;
    const records = (await store.audit.read({ kind: "outcome" })).map(
      ({ body }) => JSON.parse(body) as { request_id: string; error_code?: string; outcome: string },
    );
    await engine.close();
    expect(records.map((one) => one.error_code ?? one.outcome).sort()).toEqual(["CONFIRMATION_REQUIRED", "ok"]);
    expect(new Set(records.map((one) => one.request_id)).size).toBe(2);
  });

  it("withdraws the elicitation when it cancels the call", async () => {
    const { home, ledger } = createBank();
    const { raw, request } = speak(home);
    await request({ ...INITIALIZE.params, capabilities: { elicitation: {} } }, "initialize");
    raw.send({ method: "notifications/initialized" });
    raw.send({ id: 50, method: "tools/call", params: deletion });
    // The first request of the gateway.
    expect((await raw.answer(0)).line).toContain("elicitation/create");
    raw.send({ method: "notifications/cancelled", params: { requestId: 50 } });
    raw.send({ id: 0, result: YES });
    await request({}, "ping");
    expect(codeIn(await request({ ...deletion, arguments: { ...deletion.arguments, tool: "none" } }))).toBe(
      "TOOL_NOT_FOUND",
    );
    expect(ledger("alice")).toEqual([]);
  });

  it("gets an error for ambiguous arguments, and nothing runs", async () => {
    const { home, ledger } = createBank();
    const { raw, request } = speak(home);
    await request(INITIALIZE.params, "initialize");
    raw.send({ method: "notifications/initialized" });
    const flawed = {
      name: '{"name":"alice","name":"bob"}',
      n: '{"name":"alice","n":9007199254740993}',
      __proto_: '{"name":"alice","__proto_":1,"__proto_":2}',
      constructor: '{"name":"alice","constructor":{}}',
    };
    for (const [key, given] of Object.entries(flawed)) {
      const args = `{"server":"bank","tool":"create","arguments":${given}}`;
      raw.send(`{"jsonrpc":"2.0","id":90,"method":"tools/call","params":{"name":"execute_tool","arguments":${args}}}`);
      const { result = {} } = await raw.answer(90);
      expect(codeIn(result)).toBe("TOOL_VALIDATION_ERROR");
      expect(JSON.stringify(result)).toContain(`/params/arguments/arguments/${key}`);
    }
    expect(ledger("alice")).toEqual([]);
    expect(ledger("bob")).toEqual([]);
  });
});
