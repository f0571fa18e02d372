// Messages that no correct server sends, from a real process.
import { afterEach, describe, expect, it } from "vitest";
import { expectCpuTime } from "../../test/support/cost.js";
import { closeAll, openWatched, stdioTarget, textOf, toCall } from "../../test/support/upstreams.js";

afterEach(closeAll);

const MIB = 1024 * 1024;
const hostile = stdioTarget("hostile", ["hostile.mjs"]);

describe("a response that would take long to parse", () => {
  it.each([
    ["nested over the limit", "deep", { levels: 600 }, { code: "TOOL_EXECUTION_ERROR", executed: "yes" }],
    [
      "10 MiB of opening brackets",
      "deep",
      { levels: 10 * MIB - 100, isClosed: false },
      { code: "TOOL_EXECUTION_ERROR" },
    ],
    ["with too many values", "many", { count: 3_000_000 }, { code: "RESULT_TOO_LARGE", executed: "yes" }],
    ["with too many keys", "keys", { count: 200_000 }, { code: "RESULT_TOO_LARGE", executed: "yes" }],
  ])("%s fails only its call", async (_name, tool, args, expected) => {
    const upstreams = openWatched();
    const [refused, other] = await Promise.allSettled([
      upstreams.call(hostile, toCall(tool, args)),
      upstreams.call(hostile, toCall("ping")),
    ]);
    expect(refused).toMatchObject({ status: "rejected", reason: { ...expected, server: "hostile" } });
    expect(other).toMatchObject({ status: "fulfilled" });
    expect(upstreams.messageFaults("hostile").refused).toBe(1);
  });

  it("costs about as much as plain text of the same size", async () => {
    const upstreams = openWatched();
    const call = async (tool: string, args: object): Promise<void> => {
      await upstreams.call(hostile, toCall(tool, { ...args })).catch(() => undefined);
    };
    await call("ping", {});
    await expectCpuTime(() => call("deep", { levels: 9 * MIB, isClosed: false }), {
      maxRatio: 3,
      control: () => call("plain", { bytes: 9 * MIB }),
    });
  });

  it("within the limits arrives unchanged", async () => {
    const upstreams = openWatched();
    const { x } = await upstreams.call(hostile, toCall("many", { count: 200_000, item: "1.50" }));
    expect(x).toHaveLength(200_000);
    expect(upstreams.messageFaults("hostile")).toMatchObject({ refused: 0 });
  });
});

describe("the encoding of a response", () => {
  it("may begin with a byte order mark", async () => {
    const upstreams = openWatched();
    expect(textOf(await upstreams.call(hostile, toCall("before")))).toBe("after a byte order mark");
  });

  it("that is not UTF-8 is reported: the result is marked and counted", async () => {
    const upstreams = openWatched();
    const result = await upstreams.call(hostile, toCall("latin"));
    expect(textOf(result)).toBe("caf\ufffd");
    expect(result["_meta"]).toEqual({ "anygpt/invalidUtf8": true });
    expect(upstreams.messageFaults("hostile").invalidUtf8).toBe(1);
    expect(upstreams.logged.join("\n")).toContain("hostile sent text that is not UTF-8");
  });
});

describe("messages that belong to nothing", () => {
  it("are counted: other lines on standard output, and responses to no request", async () => {
    const upstreams = openWatched();
    await upstreams.call(hostile, toCall("noise", { lines: 7, answers: 3 }));
    await upstreams.call(hostile, toCall("ping"));
    expect(upstreams.messageFaults("hostile")).toEqual({
      notJson: 7,
      strayAnswers: 3,
      dropped: 0,
      refused: 0,
      invalidUtf8: 0,
    });
  });
});

describe("a result whose content is not a list of objects", () => {
  it.each([["text"], [{ type: "text", text: "a" }], [7], [null], [["text"]], [[null]]])(
    "is an error, not an empty success: %j",
    async (content) => {
      await expect(openWatched().call(hostile, toCall("content", { content }))).rejects.toMatchObject({
        code: "TOOL_EXECUTION_ERROR",
        message: "hostile sent a result whose content is not a list of objects.",
        executed: "yes",
      });
    },
  );
});
