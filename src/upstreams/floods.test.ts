// A server that floods the gateway must not slow down the calls to other servers.
import { afterEach, describe, expect, it } from "vitest";
import { expectDuration } from "../../test/support/cost.js";
import { eventually } from "../../test/support/eventually.js";
import { closeAll, echo, openWatched, stdioTarget, textOf, toCall } from "../../test/support/upstreams.js";
import type { CallEvent } from "../model/call.js";

afterEach(closeAll);

const hostile = stdioTarget("hostile", ["hostile.mjs"]);
const CALLS = 30;

describe("a flood from one server", () => {
  it.each(["log", "reordered", "changes", "updates", "progress", "requests", "answers", "rubbish"])(
    "of %s does not slow down the calls to another server",
    async (kind) => {
      const upstreams = openWatched();
      const others = async (): Promise<void> => {
        for (let count = 0; count < CALLS; count += 1) await upstreams.call(echo, toCall("echo", { text: "a" }));
      };
      await Promise.all([others(), upstreams.call(hostile, toCall("ping"))]);
      const control = async (): Promise<void> => {
        await upstreams.call(hostile, toCall("stop"));
        await others();
      };
      const start = async (): Promise<void> => {
        const flooding = upstreams.call(hostile, toCall("flood", { kind }, { timeoutMs: 60_000 }));
        if (kind === "progress") flooding.catch(() => undefined);
        else await flooding;
        await others();
      };
      await expectDuration(start, { maxRatio: 12, control });
    },
  );

  it("is dropped above the limit, and counted", async () => {
    const upstreams = openWatched();
    const events: CallEvent[] = [];
    const onEvent = (event: CallEvent): void => void events.push(event);
    const running = upstreams.call(hostile, toCall("flood", { kind: "progress" }, { onEvent })).catch(() => undefined);
    await upstreams.call(hostile, toCall("flood", { kind: "log" }));
    await eventually(() => upstreams.messageFaults("hostile").dropped > 10_000);
    expect(upstreams.logged.filter((line) => line.includes("notifications or requests per second"))).toHaveLength(1);
    expect(textOf(await upstreams.call(hostile, toCall("stop")))).toBe("stopped");
    await upstreams.close();
    await running;
    const progress = events.flatMap((event) => (event.kind === "progress" ? [event.progress] : []));
    expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  });

  it("loses no list change", async () => {
    const changed: string[] = [];
    const upstreams = openWatched({}, { onListChanged: (server) => void changed.push(server) });
    await upstreams.call(hostile, toCall("flood", { kind: "changes" }));
    await eventually(() => upstreams.messageFaults("hostile").dropped > 0);
    await upstreams.call(hostile, toCall("stop"));
    await eventually(() => changed.length > 0);
    expect(new Set(changed)).toEqual(new Set(["hostile"]));
  });
});
