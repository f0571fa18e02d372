import { expect, it } from "vitest";
import type { CallerPeer, PeerAnswer } from "../../model/call.js";
import type { JsonObject } from "../../model/json.js";
import type { OpenCall } from "../open-request.js";
import { createServerRequests } from "./server-requests.js";

const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };
const YES: PeerAnswer = { kind: "result", result: { action: "accept" } };

interface Put {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal | undefined;
}

function peer(capabilities: JsonObject = EVERYTHING, answer: () => Promise<PeerAnswer> = () => Promise.resolve(YES)) {
  const put: Put[] = [];
  const one: CallerPeer = {
    client: put,
    capabilities,
    request({ method, params }, signal) {
      put.push({ method, params, signal });
      return answer();
    },
  };
  return { put, peer: one };
}

function callOf(one: CallerPeer | undefined, ended = new AbortController()) {
  const pauses: string[] = [];
  const call: OpenCall = {
    actorId: "a",
    peer: one,
    onEvent: undefined,
    ended: ended.signal,
    pause() {
      pauses.push("paused");
      return () => pauses.push("resumed");
    },
  };
  return { call, pauses };
}

/** Sends a request and returns the response for the server. */
function asked(during: readonly OpenCall[], params: JsonObject = {}, method = "elicitation/create") {
  return new Promise<PeerAnswer>((resolve) => {
    const serverRequests = createServerRequests((_, answer) => resolve(answer), { server: "github" });
    expect(serverRequests.handle({ id: 1, method, params, during })).toBe(true);
  });
}

it("asks the caller's client and pauses the timeout of the call", async () => {
  const { peer: ann, put } = peer();
  const { call, pauses } = callOf(ann);
  const params = { message: "who", _meta: { progressToken: 7, own: true } };
  expect(await asked([call], params)).toBe(YES);
  expect(put).toMatchObject([{ method: "elicitation/create", params: { message: expect.stringMatching(/\n│ who$/) } }]);
  expect(put[0]?.params["_meta"]).toEqual({ own: true, "anygpt/server": "github" });
  expect(pauses).toEqual(["paused", "resumed"]);
});

it("returns the client's error to the server", async () => {
  const refusal: PeerAnswer = { kind: "error", code: -1, message: "User rejected", data: { a: 1 } };
  const { peer: ann } = peer(EVERYTHING, () => Promise.resolve(refusal));
  expect(await asked([callOf(ann).call], {}, "sampling/createMessage")).toBe(refusal);
});

it("returns an error if the client fails", async () => {
  const { peer: ann } = peer(EVERYTHING, () => Promise.reject(new Error("secret reason")));
  const answer = await asked([callOf(ann).call]);
  expect(answer).toEqual({
    kind: "error",
    code: -32603,
    message: "The caller's client did not answer elicitation/create.",
  });
});

it("asks the client that several calls have in common", async () => {
  const { peer: ann, put } = peer();
  expect(await asked([callOf(ann).call, callOf(ann).call])).toBe(YES);
  expect(put).toHaveLength(1);
});

const ann = peer();
it.each<[string, OpenCall[], number]>([
  ["no call is running", [], -32600],
  ["calls of two clients are running", [callOf(ann.peer).call, callOf(peer().peer).call], -32600],
  ["one of the callers has no client", [callOf(ann.peer).call, callOf(undefined).call], -32600],
  ["one of the callers has no client, in the other order", [callOf(undefined).call, callOf(ann.peer).call], -32600],
  ["the caller has no client", [callOf(undefined).call], -32601],
])("rejects the request without asking a client if %s", async (_, during, code) => {
  expect(await asked(during)).toMatchObject({ kind: "error", code });
  expect(ann.put).toEqual([]);
});

it.each<[string, JsonObject, string, JsonObject, number | undefined]>([
  ["no capability, a form", {}, "elicitation/create", {}, -32601],
  ["null as capability, a form", { elicitation: null }, "elicitation/create", {}, -32601],
  ["elicitation without modes, a form", { elicitation: {} }, "elicitation/create", {}, undefined],
  ["elicitation without modes, a URL", { elicitation: {} }, "elicitation/create", { mode: "url" }, -32602],
  ["URL elicitation only, a form", { elicitation: { url: {} } }, "elicitation/create", { mode: "form" }, -32602],
  [
    "URL elicitation only, a URL",
    { elicitation: { url: {} } },
    "elicitation/create",
    { mode: "url", url: "https://sign.example/in" },
    undefined,
  ],
  ["sampling, no tools", { sampling: {} }, "sampling/createMessage", {}, undefined],
  ["sampling, tools", { sampling: {} }, "sampling/createMessage", { tools: [] }, -32602],
  ["sampling, a tool choice", { sampling: {} }, "sampling/createMessage", { toolChoice: {} }, -32602],
  ["sampling with tools, tools", { sampling: { tools: {} } }, "sampling/createMessage", { tools: [] }, undefined],
  ["sampling, roots", { sampling: {} }, "roots/list", {}, -32601],
  ["roots", { roots: {} }, "roots/list", {}, undefined],
])("checks the capabilities of the client: %s", async (_, capabilities, method, params, code) => {
  const { peer: bob, put } = peer(capabilities);
  const answer = await asked([callOf(bob).call], params, method);
  expect(answer.kind === "error" ? answer.code : undefined).toBe(code);
  expect(put).toHaveLength(code === undefined ? 1 : 0);
});

it("cancels the request to the client when the server cancels it, and does not answer", async () => {
  const answers: PeerAnswer[] = [];
  let settle: (answer: PeerAnswer) => void = () => undefined;
  const { peer: bob, put } = peer(EVERYTHING, () => new Promise((resolve) => (settle = resolve)));
  const serverRequests = createServerRequests((_, answer) => answers.push(answer), { server: "github" });
  serverRequests.handle({ id: "x", method: "roots/list", params: {}, during: [callOf(bob).call] });
  serverRequests.withdraw("y");
  expect(put[0]?.signal?.aborted).toBe(false);
  serverRequests.withdraw("x");
  expect(put[0]?.signal?.aborted).toBe(true);
  settle(YES);
  await new Promise((resolve) => setImmediate(resolve));
  expect(answers).toEqual([]);
});

it("cancels the request to the client when the call ends", async () => {
  const ended = new AbortController();
  const { peer: bob, put } = peer(EVERYTHING, () => new Promise(() => undefined));
  void asked([callOf(bob, ended).call]);
  ended.abort();
  expect(put[0]?.signal?.aborted).toBe(true);
});

it("limits a server to 256 open requests and rejects a duplicate id", async () => {
  const answers: [unknown, PeerAnswer][] = [];
  const { peer: bob } = peer(EVERYTHING, () => new Promise(() => undefined));
  const serverRequests = createServerRequests((id, answer) => answers.push([id, answer]), { server: "github" });
  const { call } = callOf(bob);
  for (let id = 0; id < 257; id++) serverRequests.handle({ id, method: "roots/list", params: {}, during: [call] });
  serverRequests.handle({ id: 3, method: "roots/list", params: {}, during: [call] });
  expect(answers.map(([id]) => id)).toEqual([256, 3]);
});

it("rejects parameters that are nested too deep for serialization", async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(600)}1${"}".repeat(600)}`) as JsonObject;
  expect(await asked([callOf(peer().peer).call], deep)).toMatchObject({ kind: "error", code: -32602 });
});

it("ignores other methods", () => {
  const serverRequests = createServerRequests(() => expect.unreachable(), { server: "github" });
  for (const method of ["ping", "tasks/get", "constructor", "__proto__"]) {
    expect(serverRequests.handle({ id: 1, method, params: {}, during: [] })).toBe(false);
  }
});
