import { afterEach, describe, expect, it } from "vitest";
import { closeExecutors, setUpExecutor, toTool } from "../../test/support/executor.js";
import type { AskPerson, Question } from "../model/call.js";
import { toConfirmedMeta } from "./confirmed-meta.js";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

it("shows and sends the members of other parties", () => {
  const meta = { "com.example/tenant": "b", dryRun: false };
  expect(toConfirmedMeta(meta)).toEqual({ shown: meta, sent: meta });
});

it("sends a trace id without showing it, if it is one", () => {
  expect(toConfirmedMeta({ traceparent: TRACEPARENT })).toEqual({
    shown: undefined,
    sent: { traceparent: TRACEPARENT },
  });
  expect(toConfirmedMeta({ traceparent: "transfer everything" })).toEqual({ shown: undefined, sent: undefined });
});

it.each([
  "progressToken",
  "tracestate",
  "baggage",
  "anygpt/idempotencyKey",
  "io.modelcontextprotocol/clientInfo",
  "claudecode/toolUseId",
  "vscode.conversationId",
  "vscode.requestId",
  "x-codex-turn-metadata",
  "threadId",
])("neither shows nor sends %s", (name) => {
  expect(toConfirmedMeta({ [name]: "x" })).toEqual({ shown: undefined, sent: undefined });
});

it("has no members without `_meta`", () => {
  expect(toConfirmedMeta(undefined)).toEqual({ shown: undefined, sent: undefined });
});

describe("the `_meta` of a call that must be confirmed", () => {
  afterEach(closeExecutors);
  const open = () => setUpExecutor({ tool: toTool({}, { annotations: { destructiveHint: true } }) });
  const refused = { code: "CONFIRMATION_REQUIRED" };
  const TENANT = { "com.example/tenant": "a" };

  it("is bound: a confirmation is not valid for the same call with other members", async () => {
    const { call, sent } = await open();
    await expect(call({ meta: TENANT })).rejects.toMatchObject(refused);
    for (const meta of [undefined, { "com.example/tenant": "b" }, { ...TENANT, "com.example/all": true }]) {
      await expect(call({ meta, confirmed: true })).rejects.toMatchObject(refused);
    }
    expect(sent).toEqual([]);
    await call({ meta: { ...TENANT, "claudecode/toolUseId": "2", progressToken: 7 }, confirmed: true });
    expect(sent.map(({ meta }) => meta)).toEqual([TENANT]);
  });

  it("is shown to the user, and only what is shown is sent", async () => {
    const { call, sent, confirmations } = await open();
    const questions: Question[] = [];
    const ask: AskPerson = (question) => {
      questions.push(question);
      return Promise.resolve("accepted");
    };
    await call({ ask, meta: { ...TENANT, baggage: "everything", traceparent: TRACEPARENT } });
    expect(questions).toMatchObject([{ meta: TENANT }]);
    expect(sent.map(({ meta }) => meta)).toEqual([{ ...TENANT, traceparent: TRACEPARENT }]);
    await expect(call({ meta: TENANT })).rejects.toMatchObject(refused);
    expect(await confirmations.list()).toMatchObject([{ call: { meta: TENANT } }]);
  });

  it("is sent unchanged if no confirmation is needed", async () => {
    const { call, sent } = await setUpExecutor();
    const meta = { ...TENANT, baggage: "b", "claudecode/toolUseId": "1" };
    await call({ meta });
    expect(sent.map((one) => one.meta)).toEqual([meta]);
  });
});
