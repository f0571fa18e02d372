import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Asked } from "../support/asking-clients.js";
import { as, type AskingGateway, KINDS, openAskingGateway } from "../support/asking-gateway.js";
import { eventually } from "../support/eventually.js";

let gateway: AskingGateway;
beforeAll(async () => void (gateway = await openAskingGateway()));
afterAll(() => gateway.close());

describe("server requests that the client does not support", () => {
  const WAYS: [string, object, string, object, string][] = [
    ["anything", {}, "ask", { question: "q" }, "elicitation"],
    [
      "form elicitation without the form capability",
      { elicitation: { url: {} } },
      "ask",
      { question: "q" },
      "elicitation.form",
    ],
    ["URL elicitation without the url capability", { elicitation: {} }, "page", {}, "elicitation.url"],
    ["sampling without the sampling capability", { elicitation: {} }, "think", { prompt: "p" }, "sampling"],
    [
      "sampling with tools without the tools capability",
      { sampling: {} },
      "think",
      { prompt: "p", withTools: true },
      "sampling.tools",
    ],
    ["roots without the roots capability", { sampling: {} }, "folders", {}, "roots"],
  ];
  const CELLS = KINDS.flatMap((kind) => WAYS.map((way) => [kind, ...way] as const));
  it.each(CELLS)("never reach a %s client: %s", async (kind, _, capabilities, tool, args, needs) => {
    const caller = await gateway.client(kind, { capabilities, answer: as("ann") });
    for (const server of KINDS) {
      const { isError, text } = await caller.execute(server, tool, args);
      expect({ server, isError }).toEqual({ server, isError: true });
      // The server of the modern SDK rejects the request before the gateway can.
      const reason = server.startsWith("legacy") ? `-3260[12] .*(?:${needs}|cannot be asked)` : ".";
      expect(text).toMatch(new RegExp(reason));
    }
    expect(caller.asked).toEqual([]);
    await caller.close();
  });

  it.each(["undeclared", "unknown", "empty", "many"])(
    "fail the call of a modern server that sends them anyway: %s",
    async (tool) => {
      for (const kind of KINDS) {
        const caller = await gateway.client(kind, {
          capabilities: { elicitation: { form: {} }, roots: {} },
          answer: as("ann"),
        });
        const { isError, text } = await caller.execute("odd", tool);
        expect(isError).toBe(true);
        expect(JSON.parse(text)).toMatchObject({ error: { code: "TOOL_EXECUTION_ERROR", executed: "unknown" } });
        expect(caller.asked).toEqual([]);
        await caller.close();
      }
    },
  );

  it("follow the declared capabilities: all for legacy servers, those of the caller for modern servers", async () => {
    const capabilities = { elicitation: { form: {} }, experimental: { secret: {} } };
    const reported: Record<string, unknown> = {};
    for (const kind of KINDS) {
      const caller = await gateway.client(kind, { capabilities, answer: as("ann") });
      for (const server of KINDS) reported[`${kind} ${server}`] = (await caller.execute(server, "declared")).json;
      await caller.close();
    }
    const everything = { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} };
    for (const kind of KINDS) {
      for (const server of KINDS) {
        const expected = server.startsWith("legacy") ? everything : { elicitation: { form: {} } };
        expect({ kind, server, reported: reported[`${kind} ${server}`] }).toEqual({ kind, server, reported: expected });
      }
    }
  });
});

/** Never answers; rejects when the request is aborted. */
const never = ({ signal }: Asked): Promise<object> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("gone"))));

describe("a client that disconnects during a server request", () => {
  const counts = async (server: string) => {
    const other = await gateway.client("legacy-stdio", { answer: as("other") });
    const { json } = await other.execute(server, "counts");
    await other.close();
    return json as { aborted: number; ran: number };
  };

  // Between two requests a modern client has no request to cancel: over stdio it disconnects, over HTTP the call times out.
  const CANCELLING = (["legacy-stdio", "legacy-http", "modern-stdio"] as const).flatMap((kind) =>
    ["legacy-stdio", "legacy-http"].map((server) => [kind, server] as const),
  );
  it.each(CANCELLING)("a %s client that cancels has its call to %s cancelled", async (kind, server) => {
    const before = await counts(server);
    const giveUp = new AbortController();
    const caller = await gateway.client(kind, { answer: never });
    const call = caller.execute(server, "ask", { question: "anybody" }, { signal: giveUp.signal });
    await eventually(() => caller.asked.length === 1);
    giveUp.abort();
    await expect(call).rejects.toBeInstanceOf(Error);
    if (kind === "modern-stdio") await caller.close();
    await eventually(async () => (await counts(server)).aborted === before.aborted + 1);
    await caller.close();
  });

  it.each(["legacy-stdio", "modern-stdio"] as const)(
    "a %s client that disconnects leaves no pending request",
    async (kind) => {
      const caller = await gateway.client(kind, { answer: never });
      const call = caller.execute("legacy-stdio", "ask", { question: "anybody" });
      call.catch(() => undefined);
      await eventually(() => caller.asked.length === 1);
      const { upstreams } = await gateway.engine.stages();
      expect(upstreams.state("legacy-stdio")).toMatchObject({ inFlight: 1 });
      await caller.close();
      expect(upstreams.state("legacy-stdio")).toMatchObject({ inFlight: 0 });
    },
  );

  it.each(["legacy-stdio", "legacy-http"])("is notified when %s cancels its request", async (server) => {
    let isWithdrawn = false;
    const caller = await gateway.client("legacy-stdio", {
      answer: ({ signal }) => {
        signal.addEventListener("abort", () => (isWithdrawn = true));
        return new Promise<object>(() => undefined);
      },
    });
    // Clients of SDK v1 ignore the cancellation of the request with id 0.
    const [first] = await Promise.all(["takeBack", "takeBack"].map((tool) => caller.execute(server, tool)));
    expect(first?.text).toBe("taken back");
    await eventually(() => isWithdrawn);
    await caller.close();
  });
});

describe("log messages", () => {
  it.each(KINDS.flatMap((kind) => KINDS.map((server) => [kind, server] as const)))(
    "reach a %s client from %s at the level that the client has set",
    async (kind, server) => {
      const caller = await gateway.client(kind, { answer: as("ann") });
      const received = async (): Promise<string[]> => {
        await caller.execute(server, "talk", { tag: "t" });
        return caller.logs.splice(0).map((line) => line.slice(2));
      };
      await caller.setLevel("error");
      expect(await received()).toEqual(["error"]);
      await caller.setLevel("debug");
      expect(await received()).toEqual(["debug", "info", "error"]);
      await caller.close();
    },
  );

  it.each(KINDS)("of %s reach only the client whose call is running", async (server) => {
    const [ann, bob] = await Promise.all(KINDS.slice(0, 2).map((kind) => gateway.client(kind, { answer: as("x") })));
    for (const one of [ann!, bob!]) await one.setLevel("debug");
    await ann!.execute(server, "talk", { tag: "a" });
    expect(ann!.logs).toEqual(["a debug", "a info", "a error"]);
    expect(bob!.logs).toEqual([]);
    await Promise.all([ann!.close(), bob!.close()]);
  });
});

describe("a legacy server that requires URL elicitation", () => {
  it.each(["legacy-stdio", "legacy-http"] as const)(
    "sends a %s client the URL and later notifies it of the completion",
    async (kind) => {
      for (const server of ["legacy-stdio", "legacy-http"]) {
        const [ann, bob] = await Promise.all([
          gateway.client(kind, { answer: as("ann") }),
          gateway.client(kind, { answer: as("bob") }),
        ]);
        const user = `${kind} at ${server}`;
        await expect(ann.execute(server, "gated", { user })).rejects.toMatchObject({
          code: -32042,
          data: { elicitations: [{ mode: "url", url: "https://sign.example/in", elicitationId: user }] },
        });
        await bob.execute(server, "visit", { user });
        await eventually(() => ann.completed.length === 1);
        expect([ann.completed, bob.completed]).toEqual([[user], []]);
        expect((await ann.execute(server, "gated", { user })).text).toBe("welcome");
        await Promise.all([ann.close(), bob.close()]);
      }
    },
  );

  it("gives a client without URL elicitation the URL in a structured error", async () => {
    const caller = await gateway.client("legacy-stdio", { capabilities: { elicitation: {} }, answer: as("ann") });
    const { isError, text } = await caller.execute("legacy-stdio", "gated", { user: "nobody" });
    expect({ isError, ...(JSON.parse(text) as object) }).toMatchObject({
      isError: true,
      error: { code: "TOOL_EXECUTION_ERROR", elicitations: [{ url: "https://sign.example/in" }] },
    });
    await caller.close();
  });
});

it.each(KINDS)("a server that only asks for a retry gets one, for a %s client", async (kind) => {
  const caller = await gateway.client(kind, { answer: as("ann") });
  expect((await caller.execute("modern-http", "later")).text).toBe("after 2 rounds");
  await caller.close();
});

it("stops a server that sends endless input requests", async () => {
  const caller = await gateway.client("legacy-stdio", { answer: as("ann") });
  const { text } = await caller.execute("modern-stdio", "forever");
  expect(JSON.parse(text)).toMatchObject({
    error: { message: "modern-stdio asks for input more than 20 times." },
  });
  expect(caller.asked).toHaveLength(20);
  await caller.close();
});
