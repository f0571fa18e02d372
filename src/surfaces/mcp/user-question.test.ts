import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeDiscoveryStep } from "../../metatools/next-steps.js";
import { INITIALIZE } from "../../../test/support/gateway.js";
import type { Stages } from "../../gateway/stages.js";
import { DiscoveryError } from "../../errors.js";
import type { MetaTool } from "../../metatools/meta-tool.js";
import type { AskPerson } from "../../model/call.js";
import { localActor } from "../../model/actor.js";
import { createMultiRoundTripRequests } from "./client-requests/multi-round-trip-requests.js";
import { createGatewayServer } from "./gateway-server.js";
import { BoundedStdioTransport } from "./stdio-transport.js";
import { offerProfile, toFixedList } from "../../metatools/offered.js";
import { createSecrets } from "../../util/secrets.js";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown> & { content?: { text: string }[] };
}

/** The verdict of each call, by its argument `name`. */
type Verdict = { name: string; verdict: Awaited<ReturnType<AskPerson>> | "no elicitation" };

/** A tool that asks for confirmation, as the executor does: the same arguments get the same question id. */
function confirmedTool(verdicts: Verdict[], ttlMs: number): MetaTool {
  return {
    name: "risky",
    description: "",
    inputSchema: {},
    readOnly: false,
    async run(args, { ask, signal }) {
      const { name, ...rest } = args as { name: string };
      const about = { toolId: "s:risky", risk: "high", riskOrigin: "default", arguments: { name, ...rest }, ttlMs };
      const verdict = (await ask?.({ id: `ap_${name}`, ...about }, signal)) ?? "no elicitation";
      verdicts.push({ name, verdict });
      if (verdict === "accepted") return { kind: "data", data: { done: name } };
      const code = verdict === "declined" ? "POLICY_DENIED" : "CONFIRMATION_REQUIRED";
      throw new DiscoveryError(code, "It did not run.", { facts: { approval_id: `ap_${name}` } });
    },
  };
}

/** A raw client of either era, connected to a server that has only this tool. */
class Peer {
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #messages: Message[] = [];
  readonly #wakers: (() => void)[] = [];
  readonly #handle: { close(): Promise<void> };
  readonly verdicts: Verdict[] = [];
  readonly closingInput = new AbortController();
  #nextId = 100;

  constructor({ stateKey = Buffer.alloc(32, 1), ttlMs = 60_000 } = {}) {
    createInterface({ input: this.#output }).on("line", (line) => {
      this.#messages.push(JSON.parse(line) as Message);
      for (const wake of this.#wakers.splice(0)) wake();
    });
    const metaTools = [confirmedTool(this.verdicts, ttlMs)];
    const transport = new BoundedStdioTransport(this.#input, this.#output);
    const offered = offerProfile(metaTools, describeDiscoveryStep);
    const onToolsChanged = () => undefined;
    const parts = {
      actor: localActor("mcp"),
      roundTrips: createMultiRoundTripRequests(),
      fixedList: toFixedList(offered),
      onToolsChanged,
      instructions: "",
      flawsOf: () => [],
      stateKey,
      inputClosed: this.closingInput.signal,
    };
    const stages = () => Promise.resolve({ offered, runtime: { secrets: createSecrets() } } as unknown as Stages);
    this.#handle = serveStdio(({ era }) => createGatewayServer({ ...parts, stages, era }).server, { transport });
  }

  /** Waits for the first message that matches. */
  async received(matches: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const index = this.#messages.findIndex(matches);
      if (index !== -1) return this.#messages.splice(index, 1)[0]!;
      await new Promise<void>((resolve) => this.#wakers.push(resolve));
    }
  }
  question = (): Promise<Message> => this.received(({ method }) => method === "elicitation/create");

  write(message: object | string): void {
    this.#input.write(`${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  send(method: string, params: object): { id: number; answer: Promise<Message> } {
    const id = this.#nextId++;
    this.write({ id, method, params });
    return { id, answer: this.received((message) => message.id === id && message.method === undefined) };
  }

  async handshake(capabilities: object, protocolVersion = "2025-06-18"): Promise<void> {
    await this.send("initialize", { ...INITIALIZE.params, capabilities, protocolVersion }).answer;
    this.write({ method: "notifications/initialized" });
  }

  call(name: string, more: object = {}) {
    return this.send("tools/call", { name: "risky", arguments: { name }, ...more });
  }

  /** One round trip in the modern era. */
  async round(name: string, more: object = {}, capabilities: object = { elicitation: { form: {} } }) {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    return (await this.call(name, { ...more, _meta }).answer).result ?? {};
  }

  close = (): Promise<void> => this.#handle.close();
}

let peers: Peer[];
beforeEach(() => (peers = []));
afterEach(async () => void (await Promise.all(peers.map((peer) => peer.close()))));
function peer(options?: ConstructorParameters<typeof Peer>[0]): Peer {
  const one = new Peer(options);
  peers.push(one);
  return one;
}

const MANY = Array.from({ length: 1000 }, (_, n) => `item ${n}`);
const YES = { action: "accept", content: { confirm: true } };
const textOf = ({ content }: NonNullable<Message["result"]>): string => content?.[0]?.text ?? "";

describe("confirmation in the legacy era", () => {
  it.each([
    ["2025-06-18", { elicitation: {} }],
    ["2025-11-25", { elicitation: { form: {} } }],
    ["2025-11-25", { elicitation: { form: {}, url: {} } }],
  ])("asks a client of revision %s with the capabilities %j while its call waits", async (revision, capabilities) => {
    const client = peer();
    await client.handshake(capabilities, revision);
    const { answer } = client.call("alice");
    const question = await client.question();
    expect(question.params).toEqual({
      _meta: { "anygpt/approval": "ap_alice" },
      message: expect.stringContaining('"name": "alice"'),
      requestedSchema: expect.objectContaining({ required: ["confirm"] }),
    });
    client.write({ id: question.id, result: YES });
    expect(textOf((await answer).result!)).toBe('{"done":"alice"}');
  });

  it.each<[string, object]>([
    ["no elicitation", {}],
    ["only URL elicitation", { elicitation: { url: {} } }],
  ])("does not ask a client that declares %s", async (_, capabilities) => {
    const client = peer();
    await client.handshake(capabilities, "2025-11-25");
    expect(textOf((await client.call("alice").answer).result!)).toContain("CONFIRMATION_REQUIRED");
    expect(client.verdicts).toEqual([{ name: "alice", verdict: "no elicitation" }]);
  });

  it.each<[string, (id: number) => object | string, string]>([
    ["decline", (id) => ({ id, result: { action: "decline" } }), "declined"],
    ["cancel", (id) => ({ id, result: { action: "cancel" } }), "unanswered"],
    ["an error", (id) => ({ id, error: { code: -32601, message: "No forms here." } }), "unanswered"],
    ["null as a result", (id) => ({ id, result: null }), "unanswered"],
    ["a string as a result", (id) => ({ id, result: "accept" }), "unanswered"],
    ["an array as a result", (id) => ({ id, result: [] }), "unanswered"],
    ["both a confirmation and an error", (id) => ({ id, result: YES, error: { code: 1, message: "" } }), "unanswered"],
    ["an error without a code", (id) => ({ id, error: { message: "No forms here." } }), "unanswered"],
    ["an unknown action", (id) => ({ id, result: { action: "perhaps" } }), "unanswered"],
    [
      "an answer with duplicate keys",
      (id) => `{"jsonrpc":"2.0","id":${id},"result":{"action":"decline","action":"accept","content":{"confirm":true}}}`,
      "unanswered",
    ],
  ])("does not run the call if the client answers with %s", async (_, toAnswer, verdict) => {
    const client = peer();
    await client.handshake({ elicitation: {} });
    const { answer } = client.call("alice");
    client.write(toAnswer((await client.question()).id!));
    expect((await answer).result).toMatchObject({ isError: true });
    expect(client.verdicts).toEqual([{ name: "alice", verdict }]);
  });

  it("assigns each answer to its own question", async () => {
    const client = peer();
    await client.handshake({ elicitation: {} });
    const calls = ["alice", "bob"].map((name) => client.call(name).answer);
    const questions = [await client.question(), await client.question()];
    const about = (name: string) => questions.find(({ params }) => String(params?.["message"]).includes(name))!;
    client.write({ id: about("bob").id, result: { action: "decline" } });
    client.write({ id: about("alice").id, result: YES });
    const [alice, bob] = await Promise.all(calls);
    expect(textOf(alice!.result!)).toBe('{"done":"alice"}');
    expect(textOf(bob!.result!)).toContain("POLICY_DENIED");
  });

  it("accepts an answer only on the connection that received the question", async () => {
    const [asked, other] = [peer(), peer()];
    await asked.handshake({ elicitation: {} });
    await other.handshake({ elicitation: {} });
    const { answer } = asked.call("alice");
    const { id } = await asked.question();
    other.write({ id, result: YES });
    await other.send("ping", {}).answer;
    expect(asked.verdicts).toEqual([]);
    asked.write({ id, result: { action: "cancel" } });
    expect((await answer).result).toMatchObject({ isError: true });
  });

  it("cancels the question when the call is cancelled", async () => {
    const client = peer();
    await client.handshake({ elicitation: {} });
    const { id: requestId } = client.call("alice");
    const { id } = await client.question();
    client.write({ method: "notifications/cancelled", params: { requestId } });
    const { params } = await client.received(({ method }) => method === "notifications/cancelled");
    expect(params).toMatchObject({ requestId: id });
    expect(client.verdicts).toEqual([{ name: "alice", verdict: "unanswered" }]);
  });

  it("cancels the question after its timeout", async () => {
    const client = peer({ ttlMs: 1 });
    await client.handshake({ elicitation: {} });
    const { answer } = client.call("alice");
    await client.received(({ method }) => method === "notifications/cancelled");
    expect(textOf((await answer).result!)).toContain("CONFIRMATION_REQUIRED");
  });

  it("does not wait for a client that has disconnected", async () => {
    const client = peer();
    await client.handshake({ elicitation: {} });
    const { answer } = client.call("alice");
    await client.question();
    client.closingInput.abort();
    expect(textOf((await answer).result!)).toContain("CONFIRMATION_REQUIRED");
  });

  it("does not ask about a call that is too large for a dialog", async () => {
    const client = peer();
    await client.handshake({ elicitation: {} });
    const { answer } = client.call("alice", { arguments: { name: "alice", rest: MANY } });
    expect(textOf((await answer).result!)).toContain("CONFIRMATION_REQUIRED");
    expect(client.verdicts).toEqual([{ name: "alice", verdict: "unanswered" }]);
  });

  it("ignores an answer in the call itself", async () => {
    const client = peer();
    await client.handshake({});
    const { answer } = client.call("alice", { inputResponses: { confirmation: YES }, requestState: "ap_alice" });
    expect(textOf((await answer).result!)).toContain("CONFIRMATION_REQUIRED");
  });
});

describe("confirmation in the modern era", () => {
  it("answers the call with an input request, and runs it when it is repeated with the user's answer", async () => {
    const client = peer();
    const first = await client.round("alice");
    expect(first).toMatchObject({
      resultType: "input_required",
      inputRequests: {
        confirmation: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: expect.stringContaining('"name": "alice"'),
            requestedSchema: expect.objectContaining({ required: ["confirm"] }),
          },
        },
      },
      requestState: expect.stringMatching(/^ap_alice\./),
    });
    expect(first).not.toHaveProperty("content");
    const { requestState } = first;
    const second = await client.round("alice", { inputResponses: { confirmation: YES }, requestState });
    expect(textOf(second)).toBe('{"done":"alice"}');
    expect(client.verdicts.map(({ verdict }) => verdict)).toEqual(["unanswered", "accepted"]);
  });

  it.each([
    ["decline", "POLICY_DENIED"],
    ["cancel", "CONFIRMATION_REQUIRED"],
    ["accept", "CONFIRMATION_REQUIRED"],
  ])("does not ask again after %s without a ticked checkbox", async (action, code) => {
    const client = peer();
    const { requestState } = await client.round("alice");
    const second = await client.round("alice", { inputResponses: { confirmation: { action } }, requestState });
    expect(second).toMatchObject({ isError: true, resultType: "complete" });
    expect(textOf(second)).toContain(code);
  });

  it("does not ask about a call that is too large for a dialog", async () => {
    const client = peer();
    const first = await client.round("alice", { arguments: { name: "alice", rest: MANY } });
    expect(first).toMatchObject({ isError: true, resultType: "complete" });
    expect(textOf(first)).toContain("CONFIRMATION_REQUIRED");
  });

  /** Sends a round trip with an answer that must not be accepted. */
  const forge = async (requestState: unknown, inputResponses: unknown = { confirmation: YES }) => {
    const client = peer();
    const { resultType } = await client.round("alice", { inputResponses, requestState });
    return { resultType, verdicts: client.verdicts };
  };
  const ASKED_AGAIN = { resultType: "input_required", verdicts: [{ name: "alice", verdict: "unanswered" }] };

  it.each<[string, unknown]>([
    ["no requestState", undefined],
    ["an empty requestState", ""],
    ["the approval id of an error as requestState", "ap_alice"],
    ["a requestState with an invalid HMAC", `ap_alice.${"A".repeat(43)}`],
    ["a requestState that is not a string", { id: "ap_alice" }],
    ["a requestState with non-ASCII characters", "ap_alice.\u00e9\u{1f600}"],
  ])("ignores an answer in a first call with %s", async (_, state) => {
    expect(await forge(state)).toEqual(ASKED_AGAIN);
  });

  it("ignores an answer with the requestState of another question or process, or an altered one", async () => {
    const one = peer();
    const { requestState: ofBob } = await one.round("bob");
    expect(await forge(ofBob)).toEqual(ASKED_AGAIN);
    expect(await forge(String(ofBob).replace("ap_bob", "ap_alice"))).toEqual(ASKED_AGAIN);
    const { requestState: ofAnother } = await peer({ stateKey: Buffer.alloc(32, 2) }).round("alice");
    expect(await forge(ofAnother)).toEqual(ASKED_AGAIN);
    const { requestState } = await one.round("alice");
    expect(await forge(`${String(requestState)}A`)).toEqual(ASKED_AGAIN);
    expect(await forge(String(requestState).replace("alice", "alicf"))).toEqual(ASKED_AGAIN);
  });

  it.each<[string, unknown]>([
    ["no answer", {}],
    ["an answer under another key", { other: YES }],
    ["an answer wrapped in a response", { confirmation: { method: "elicitation/create", result: YES } }],
    ["a string as answer", { confirmation: "accept" }],
    ["inputResponses that are not an object", "accept"],
  ])("asks again if a round trip has the requestState and %s", async (_, inputResponses) => {
    const { requestState } = await peer().round("alice");
    expect(await forge(requestState, inputResponses)).toEqual(ASKED_AGAIN);
  });

  it.each<[string, object]>([
    ["no elicitation", {}],
    ["only URL elicitation", { elicitation: { url: {} } }],
  ])("neither asks nor accepts an answer in a request that declares %s", async (_, capabilities) => {
    const client = peer();
    const { requestState } = await client.round("alice");
    const more = { inputResponses: { confirmation: YES }, requestState };
    expect(textOf(await client.round("alice", more, capabilities))).toContain("CONFIRMATION_REQUIRED");
    expect(client.verdicts.at(-1)?.verdict).toBe("no elicitation");
  });
});
