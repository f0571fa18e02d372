import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Asked, saidBy } from "../support/asking-clients.js";
import { accepted, as, type AskingGateway, KINDS, openAskingGateway } from "../support/asking-gateway.js";
import { eventually } from "../support/eventually.js";

let gateway: AskingGateway;
beforeAll(async () => void (gateway = await openAskingGateway()));
afterAll(() => gateway.close());

describe.each(KINDS)("a %s client", (kind) => {
  it.each(KINDS)("answers requests of a %s server during its call", async (server) => {
    const caller = await gateway.client(kind, { answer: as("ann") });
    const run = async (tool: string, args: object = {}) => (await caller.execute(server, tool, args)).json;
    expect(await run("ask", { question: "who" })).toEqual(accepted("ann: who"));
    expect(await run("twice")).toEqual(["ann: first", "ann: second after ann: first"]);
    expect(await run("together")).toEqual([accepted("ann: one"), accepted("ann: two")]);
    expect(await run("page")).toEqual({ action: "accept" });
    const thought = { role: "assistant", model: "m", content: { type: "text", text: "ann: why" } };
    expect(await run("think", { prompt: "why" })).toMatchObject(thought);
    expect(await run("think", { prompt: "why", withTools: true })).toMatchObject(thought);
    expect(await run("folders")).toEqual({ roots: [{ uri: "file:///home/ann" }] });
    expect(caller.asked.map(({ method }) => method.split("/")[0])).toEqual([
      ...Array.from({ length: 6 }, () => "elicitation"),
      "sampling",
      "sampling",
      "roots",
    ]);
    expect(caller.asked[5]?.params).toMatchObject({
      mode: "url",
      url: "https://sign.example/in",
      message: expect.stringMatching(/^The server "[a-z-]+" asks you to open a page of sign\.example\..*\n│ sign in$/),
    });
  });
});

/** Holds every request until all have arrived, so that none is answered in the order of arrival. */
function gate(size: number) {
  const waiting: (() => void)[] = [];
  return (answer: (asked: Asked) => object) =>
    (asked: Asked): Promise<object> =>
      new Promise((resolve) => {
        waiting.push(() => resolve(answer(asked)));
        if (waiting.length === size) for (const go of waiting.splice(0).reverse()) go();
      });
}

describe("server requests to two clients at the same time", () => {
  const PAIRS = [
    ["legacy-stdio", "legacy-stdio"],
    ["legacy-http", "legacy-http"],
    ["modern-stdio", "modern-stdio"],
    ["modern-http", "modern-http"],
    ["legacy-stdio", "modern-http"],
    ["legacy-http", "modern-stdio"],
  ] as const;
  it.each(PAIRS)("reach the right one of a %s and a %s if the server identifies the call", async (...kinds) => {
    for (const server of ["legacy-http", "modern-stdio", "modern-http"]) {
      const both = gate(2);
      const [ann, bob] = await Promise.all([
        gateway.client(kinds[0], { answer: both(as("ann")) }),
        gateway.client(kinds[1], { answer: both(as("bob")) }),
      ]);
      const answers = await Promise.all([ann, bob].map((one) => one.execute(server, "ask", { question: "who" })));
      expect(answers.map(({ json }) => json)).toEqual([accepted("ann: who"), accepted("bob: who")]);
      await Promise.all([ann.close(), bob.close()]);
    }
  });

  it.each(["legacy-stdio", "legacy-http"])("are rejected for both if %s does not identify the call", async (server) => {
    const ann = await gateway.client("legacy-stdio", { answer: as("ann") });
    let release: (answer: object) => void = () => undefined;
    const held = new Promise<object>((resolve) => (release = resolve));
    const bob = await gateway.client("modern-stdio", { answer: () => held });
    const waiting = bob.execute(server, "ask", { question: "who" });
    await eventually(() => bob.asked.length === 1);
    const tool = server === "legacy-stdio" ? "ask" : "loosely";
    const refused = await ann.execute(server, tool, { question: "whose" });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^-32600 .*several clients/) as unknown,
    });
    expect([ann.asked, bob.asked]).toMatchObject([[], [{}]]);
    release(accepted("bob after all"));
    expect((await waiting).json).toEqual(accepted("bob after all"));
    // With one call in progress the request is unambiguous.
    expect((await ann.execute(server, tool, { question: "whose" })).json).toEqual(accepted("ann: whose"));
    await Promise.all([ann.close(), bob.close()]);
  });

  it("are not sent to them on behalf of a caller that cannot answer", async () => {
    const ann = await gateway.client("legacy-stdio", { answer: as("ann") });
    let release: (answer: object) => void = () => undefined;
    const held = new Promise<object>((resolve) => (release = resolve));
    const bob = await gateway.client("modern-stdio", { answer: () => held });
    const waiting = bob.execute("legacy-stdio", "ask", { question: "who" });
    await eventually(() => bob.asked.length === 1);
    const program = await gateway.engine.executeTool("legacy-stdio", "ask", { question: "a program's" });
    expect(JSON.stringify(program)).toContain("several clients");
    release(accepted("mine"));
    expect((await waiting).json).toEqual(accepted("mine"));
    expect([ann.asked.length, bob.asked.length]).toEqual([0, 1]);
    await Promise.all([ann.close(), bob.close()]);
  });
});

describe("a hundred calls with a server request, all sent before the first answer", () => {
  it.each(KINDS)("of one client, to %s, each receive the answer to their own request", async (server) => {
    for (const kind of ["legacy-stdio", "modern-http"] as const) {
      // Without a stream per call, the calls of a modern client over HTTP cannot be distinguished from those of other clients.
      if (server === "legacy-stdio" && kind === "modern-http") continue;
      const all = gate(100);
      const caller = await gateway.client(kind, { answer: all(as("ann")) });
      const calls = Array.from({ length: 100 }, (_, n) => caller.execute(server, "ask", { question: `number ${n}` }));
      const answers = (await Promise.all(calls)).map(({ json }) => json);
      expect(answers).toEqual(Array.from({ length: 100 }, (_, n) => accepted(`ann: number ${n}`)));
      await caller.close();
    }
  });

  it.each(["legacy-http", "modern-stdio", "modern-http"])(
    "of twenty clients, to %s, reach the right client",
    async (server) => {
      const all = gate(100);
      const callers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          gateway.client(KINDS[n % 4] ?? "legacy-stdio", { answer: all(as(`p${n}`)) }),
        ),
      );
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => callers[n % 20]!.execute(server, "ask", { question: `n${n}` })),
      );
      expect(answers.map(({ json }) => json)).toEqual(
        Array.from({ length: 100 }, (_, n) => accepted(`p${n % 20}: n${n}`)),
      );
      for (const [n, caller] of callers.entries()) {
        const questions = caller.asked.map(({ params }) => Number(saidBy(params).slice(1)) % 20);
        expect(questions).toEqual([n, n, n, n, n]);
        await caller.close();
      }
    },
  );
});
