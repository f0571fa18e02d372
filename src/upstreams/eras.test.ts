import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import { type OpenUpstreams, openUpstreams, stdioTarget, textOf, toCall } from "../../test/support/upstreams.js";
import type { CallEvent } from "../model/call.js";
import type { UpstreamTarget } from "./types.js";

const opened: OpenUpstreams[] = [];

function open(...args: Parameters<typeof openUpstreams>): OpenUpstreams {
  const upstreams = openUpstreams(...args);
  opened.push(upstreams);
  return upstreams;
}

/** A target of unknown era that counts its starts. */
function unknown(args: readonly string[], eraHint?: "legacy" | "modern"): UpstreamTarget & { starts: () => number } {
  const { connection } = stdioTarget("server", args);
  let starts = 0;
  const counted = (): ReturnType<typeof connection> => {
    starts += 1;
    return connection();
  };
  return { name: "server", connection: counted, ...(eraHint === undefined ? {} : { eraHint }), starts: () => starts };
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((upstreams) => upstreams.close()));
});

describe("the era of a stdio server", () => {
  it.each<[string, readonly string[], "legacy" | "modern" | undefined, "legacy" | "modern"]>([
    ["of the legacy era is detected by a probe", ["echo.mjs"], undefined, "legacy"],
    ["of the modern era is detected by a probe", ["modern.mjs"], undefined, "modern"],
    ["remembered as modern is confirmed by a probe", ["modern.mjs"], "modern", "modern"],
    ["remembered as legacy is not probed", ["faulty.mjs", "exits-on-probe"], "legacy", "legacy"],
    ["remembered as legacy that became modern is probed after a failure", ["modern.mjs"], "legacy", "modern"],
    ["remembered as modern that became legacy is used as legacy", ["echo.mjs"], "modern", "legacy"],
    ["that exits on the probe is started once more", ["faulty.mjs", "exits-on-probe"], undefined, "legacy"],
    ["that does not answer the probe is legacy", ["faulty.mjs", "silent-legacy"], undefined, "legacy"],
  ])("%s", async (_name, args, hint, era) => {
    const upstreams = open({ probeTimeoutMs: 1_000 });
    const target = unknown(args, hint);
    const listing = await upstreams.list(target);
    expect(listing.era).toBe(era);
    expect(listing.tools.map(({ name }) => name)).toContain("echo");
    expect(target.starts()).toBe(1);
  });

  it("of the modern era is detected if the server starts more slowly than the probe allows", async () => {
    const upstreams = open({ probeTimeoutMs: 1 });
    expect(await upstreams.list(unknown(["modern.mjs"]))).toMatchObject({ era: "modern" });
  });
});

describe("a modern server on stdio", () => {
  const modern = unknown(["modern.mjs"]);

  it("answers, reports progress and fails like a legacy one", async () => {
    const upstreams = open();
    const events: CallEvent[] = [];
    expect(textOf(await upstreams.call(modern, toCall("echo", { text: "hi" })))).toBe("hi");
    const call = toCall("sleep", { ms: 60, every: 30 }, { onEvent: (event) => void events.push(event) });
    expect(await upstreams.call(modern, call)).toEqual({
      content: [{ type: "text", text: "slept 60" }],
      _meta: expect.any(Object) as object,
    });
    expect(events).toEqual([
      { kind: "progress", progress: 30, total: 60 },
      { kind: "progress", progress: 60, total: 60 },
    ]);
    expect(await upstreams.call(modern, toCall("broken"))).toMatchObject({ isError: true });
    await expect(upstreams.call(modern, toCall("missing"))).rejects.toMatchObject({
      code: "TOOL_EXECUTION_ERROR",
      executed: "yes",
    });
    expect(upstreams.state("server")).toMatchObject({ kind: "open", era: "modern" });
  });

  it("announces list changes after a subscription", async () => {
    const changed: string[] = [];
    const upstreams = open({}, { onListChanged: (server) => void changed.push(server) });
    await upstreams.call(modern, toCall("pid"));
    await eventually(async () => {
      await upstreams.call(modern, toCall("change"));
      return changed.length > 0;
    });
    expect(changed).toEqual(["server"]);
  });
});
