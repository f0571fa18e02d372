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

/** What every caller's person said, by the name of the caller. */
type Said = { name: string; verdict: Awaited<ReturnType<AskPerson>> | "cannot be asked" };

/** Asks about what it is given, as the executor does: the id of the question is the same for the same arguments. */
function askingTool(said: Said[], ttlMs: number): MetaTool {
  return {
    name: "risky",
    description: "",
    inputSchema: {},
    readOnly: false,
    async run(args, { ask, signal }) {
      const { name, ...rest } = args as { name: string };
      const about = { toolId: "s:risky", risk: "high", riskOrigin: "default", arguments: { name, ...rest }, ttlMs };
      const verdict = (await ask?.({ id: `ap_${name}`, ...about }, signal)) ?? "cannot be asked";
      said.push({ name, verdict });
      if (verdict === "accepted") return { kind: "data", data: { done: name } };
      const code = verdict === "declined" ? "POLICY_DENIED" : "CONFIRMATION_REQUIRED";
      throw new DiscoveryError(code, "It did not run.", { facts: { approval_id: `ap_${name}` } });
    },
  };
}

/** One client by hand, of either era, on a server with nothing but that tool. */
class Peer {
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #messages: Message[] = [];
  readonly #wakers: (() => void)[] = [];
  readonly #handle: { close(): Promise<void> };
  readonly said: Said[] = [];
  readonly closingInput = new AbortController();
  #nextId = 100;

  constructor({ stateKey = Buffer.alloc(32, 1), ttlMs = 60_000 } = {}) {
    createInterface({ input: this.#output }).on("line", (line) => {
      this.#messages.push(JSON.parse(line) as Message);
      for (const wake of this.#wakers.splice(0)) wake();
    });
    const metaTools = [askingTool(this.said, ttlMs)];
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

  /** The first message that fits, as soon as it is there. */
  async heard(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const index = this.#messages.findIndex(fits);
      if (index !== -1) return this.#messages.splice(index, 1)[0]!;
      await new Promise<void>((resolve) => this.#wakers.push(resolve));
    }
  }
  question = (): Promise<Message> => this.heard(({ method }) => method === "elicitation/create");

  write(message: object | string): void {
    this.#input.write(`${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  send(method: string, params: object): { id: number; answer: Promise<Message> } {
    const id = this.#nextId++;
    this.write({ id, method, params });
    return { id, answer: this.heard((message) => message.id === id && message.method === undefined) };
  }

  async handshake(capabilities: object, protocolVersion = "2025-06-18"): Promise<void> {
    await this.send("initialize", { ...INITIALIZE.params, capabilities, protocolVersion }).answer;
    this.write({ method: "notifications/initialized" });
  }

  call(name: string, more: object = {}) {
    return this.send("tools/call", { name: "risky", arguments: { name }, ...more });
  }

  /** One round of the modern era. */
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

describe("in the legacy era", () => {
  it.each([
    ["2025-06-18", { elicitation: {} }],
    ["2025-11-25", { elicitation: { form: {} } }],
    ["2025-11-25", { elicitation: { form: {}, url: {} } }],
  ])("a client of %s with %j is asked while its call waits", async (revision, capabilities) => {
    const client = peer();
    await client.handshake(capabilities, revision);
    const { answer } = client.call("alice");
    const question = await client.question();
    expect(question.params).toEqual({
      message: expect.stringContaining('"name": "alice"'),
      requestedSchema: expect.objectContaining({ required: ["confirm"] }),
    });
    client.write({ id: question.id, result: YES });
    expect(textOf((await answer).result!)).toBe('{"done":"alice"}');
  });

  it.each<[string, object]>([
    ["no elicitation", {}],
    ["only elicitation by address", { elicitation: { url: {} } }],
  ])("a client with %s is not asked", async (_, capabilities) => {
    const client = peer();
    await client.handshake(capabilities, "2025-11-25");
    expect(textOf((await client.call("alice").answer).result!)).toContain("CONFIRMATION_REQUIRED");
    expect(client.said).toEqual([{ name: "alice", verdict: "cannot be asked" }]);
  });

  it.each<[string, (id: number) => object | string, string]>([
    ["a refusal", (id) => ({ id, result: { action: "decline" } }), "declined"],
    ["a closed dialogue", (id) => ({ id, result: { action: "cancel" } }), "unanswered"],
    ["an error", (id) => ({ id, error: { code: -32601, message: "No forms here." } }), "unanswered"],
    ["nothing", (id) => ({ id, result: null }), "unanswered"],
    ["a text", (id) => ({ id, result: "accept" }), "unanswered"],
    ["a list", (id) => ({ id, result: [] }), "unanswered"],
    ["a yes and an error at once", (id) => ({ id, result: YES, error: { code: 1, message: "" } }), "unanswered"],
    ["an error without a code", (id) => ({ id, error: { message: "No forms here." } }), "unanswered"],
    ["rubbish", (id) => ({ id, result: { action: "perhaps" } }), "unanswered"],
    [
      "an answer that can be read in two ways",
      (id) => `{"jsonrpc":"2.0","id":${id},"result":{"action":"decline","action":"accept","content":{"confirm":true}}}`,
      "unanswered",
    ],
  ])("%s runs nothing", async (_, toAnswer, verdict) => {
    const client = peer();
    await client.handshake({ elicitation: {} });
    const { answer } = client.call("alice");
    client.write(toAnswer((await client.question()).id!));
    expect((await answer).result).toMatchObject({ isError: true });
    expect(client.said).toEqual([{ name: "alice", verdict }]);
  });

  it("keeps answers to several questions apart", async () => {
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

  it("accepts the answer only on the connection that asked", async () => {
    const [asked, other] = [peer(), peer()];
    await asked.handshake({ elicitation: {} });
    await other.handshake({ elicitation: {} });
    const { answer } = asked.call("alice");
    const { id } = await asked.question();
    other.write({ id, result: YES });
    await other.send("ping", {}).answer;
    expect(asked.said).toEqual([]);
    asked.write({ id, result: { action: "cancel" } });
    expect((await answer).result).toMatchObject({ isError: true });
  });

  it("withdraws the question when the call is cancelled", async () => {
    const client = peer();
    await client.handshake({ elicitation: {} });
    const { id: requestId } = client.call("alice");
    const { id } = await client.question();
    client.write({ method: "notifications/cancelled", params: { requestId } });
    const { params } = await client.heard(({ method }) => method === "notifications/cancelled");
    expect(params).toMatchObject({ requestId: id });
    expect(client.said).toEqual([{ name: "alice", verdict: "unanswered" }]);
  });

  it("withdraws the question when its time is over", async () => {
    const client = peer({ ttlMs: 1 });
    await client.handshake({ elicitation: {} });
    const { answer } = client.call("alice");
    await client.heard(({ method }) => method === "notifications/cancelled");
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

  it("does not ask about a call that is too large to be judged in a dialogue", async () => {
    const client = peer();
    await client.handshake({ elicitation: {} });
    const { answer } = client.call("alice", { arguments: { name: "alice", rest: MANY } });
    expect(textOf((await answer).result!)).toContain("CONFIRMATION_REQUIRED");
    expect(client.said).toEqual([{ name: "alice", verdict: "unanswered" }]);
  });

  it("takes no answer that comes with the call", async () => {
    const client = peer();
    await client.handshake({});
    const { answer } = client.call("alice", { inputResponses: { confirmation: YES }, requestState: "ap_alice" });
    expect(textOf((await answer).result!)).toContain("CONFIRMATION_REQUIRED");
  });
});

describe("in the modern era", () => {
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
    expect(client.said.map(({ verdict }) => verdict)).toEqual(["unanswered", "accepted"]);
  });

  it.each([
    ["decline", "POLICY_DENIED"],
    ["cancel", "CONFIRMATION_REQUIRED"],
    ["accept", "CONFIRMATION_REQUIRED"],
  ])("does not ask again after %s without a ticked box", async (action, code) => {
    const client = peer();
    const { requestState } = await client.round("alice");
    const second = await client.round("alice", { inputResponses: { confirmation: { action } }, requestState });
    expect(second).toMatchObject({ isError: true, resultType: "complete" });
    expect(textOf(second)).toContain(code);
  });

  it("does not ask about a call that is too large to be judged in a dialogue", async () => {
    const client = peer();
    const first = await client.round("alice", { arguments: { name: "alice", rest: MANY } });
    expect(first).toMatchObject({ isError: true, resultType: "complete" });
    expect(textOf(first)).toContain("CONFIRMATION_REQUIRED");
  });

  /** What comes of a round with an answer that should not count. */
  const forge = async (requestState: unknown, inputResponses: unknown = { confirmation: YES }) => {
    const client = peer();
    const { resultType } = await client.round("alice", { inputResponses, requestState });
    return { resultType, said: client.said };
  };
  const ASKED_ANEW = { resultType: "input_required", said: [{ name: "alice", verdict: "unanswered" }] };

  it.each<[string, unknown]>([
    ["no state", undefined],
    ["an empty state", ""],
    ["the approval's id, as an error tells it", "ap_alice"],
    ["a made-up seal", `ap_alice.${"A".repeat(43)}`],
    ["a state that is no text", { id: "ap_alice" }],
    ["a state of odd characters", "ap_alice.\u00e9\u{1f600}"],
  ])("takes no answer with a first call that brings %s", async (_, state) => {
    expect(await forge(state)).toEqual(ASKED_ANEW);
  });

  it("takes no answer to another question, of another process, or altered on its way", async () => {
    const one = peer();
    const { requestState: ofBob } = await one.round("bob");
    expect(await forge(ofBob)).toEqual(ASKED_ANEW);
    expect(await forge(String(ofBob).replace("ap_bob", "ap_alice"))).toEqual(ASKED_ANEW);
    const { requestState: ofAnother } = await peer({ stateKey: Buffer.alloc(32, 2) }).round("alice");
    expect(await forge(ofAnother)).toEqual(ASKED_ANEW);
    const { requestState } = await one.round("alice");
    expect(await forge(`${String(requestState)}A`)).toEqual(ASKED_ANEW);
    expect(await forge(String(requestState).replace("alice", "alicf"))).toEqual(ASKED_ANEW);
  });

  it.each<[string, unknown]>([
    ["none", {}],
    ["one under another name", { other: YES }],
    ["one wrapped as a response", { confirmation: { method: "elicitation/create", result: YES } }],
    ["a text", { confirmation: "accept" }],
    ["no object", "accept"],
  ])("asks again when a round brings the state and, for an answer, %s", async (_, inputResponses) => {
    const { requestState } = await peer().round("alice");
    expect(await forge(requestState, inputResponses)).toEqual(ASKED_ANEW);
  });

  it.each<[string, object]>([
    ["no elicitation", {}],
    ["only elicitation by address", { elicitation: { url: {} } }],
  ])("neither asks nor believes a request that declares %s", async (_, capabilities) => {
    const client = peer();
    const { requestState } = await client.round("alice");
    const more = { inputResponses: { confirmation: YES }, requestState };
    expect(textOf(await client.round("alice", more, capabilities))).toContain("CONFIRMATION_REQUIRED");
    expect(client.said.at(-1)?.verdict).toBe("cannot be asked");
  });
});
