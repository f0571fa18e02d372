// Tool lists that are too large, from a real process.
import { afterEach, describe, expect, it } from "vitest";
import { closeAll, openWatched, stdioTarget } from "../../test/support/upstreams.js";

afterEach(closeAll);

const listing = (...args: string[]) => openWatched().list(stdioTarget("hostile", ["hostile.mjs", ...args]));

describe("the tool list of a hostile server", () => {
  it("with 100 pages of 9 MiB is read only to the limit, and the large definitions are left out by name", async () => {
    const { tools, dropped, truncated } = await listing("big-pages", "9", "100");
    expect(tools.map(({ name }) => name)).toEqual(["small0"]);
    expect(dropped).toEqual(["big0", "big1"].map((name) => ({ name, reason: "its definition has over 256 KiB" })));
    expect(truncated).toBe(true);
  });

  it("keeps definitions below the limit", async () => {
    const { tools, truncated, dropped } = await listing("big-pages", "0.2", "10");
    expect(tools).toHaveLength(20);
    expect(truncated).toBe(false);
    expect(dropped).toEqual([]);
  });

  it("leaves out a tool whose name is too long, with the beginning of the name", async () => {
    const { tools, dropped } = await listing("big-name");
    expect(tools.map(({ name }) => name)).toEqual(["fine"]);
    expect(dropped).toEqual([{ name: `${"n".repeat(99)}…`, reason: "its name has over 512 characters" }]);
  });

  it("reports at most 100 invalid definitions one by one", async () => {
    const { tools, dropped } = await listing("many-broken");
    expect(tools.map(({ name }) => name)).toEqual(["fine"]);
    expect(dropped).toHaveLength(101);
    expect(dropped.at(-1)).toEqual({ name: "", reason: "49900 further definitions cannot be used" });
  });
});
