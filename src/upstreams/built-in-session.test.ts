import { expect, it } from "vitest";
import { toUpstreamCall } from "../../test/support/calls.js";
import { openUpstreams } from "../../test/support/upstreams.js";
import type { JsonObject } from "../model/json.js";
import { openBuiltInSession } from "./built-in-session.js";
import type { BuiltInRequest, BuiltInTool } from "../model/built-in.js";

const tool = (run: BuiltInTool["run"]): BuiltInTool => ({
  definition: { name: "echo", inputSchema: { type: "object" } },
  run,
});
const CALL = toUpstreamCall({ tool: "echo", arguments: { a: 1 }, timeoutMs: 20_000, maxTotalMs: 20_000 });
const never = (_args: JsonObject, { signal }: BuiltInRequest) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

it("lists and calls the given tools", async () => {
  const session = openBuiltInSession("own", [
    tool((args) => Promise.resolve({ content: [{ type: "text", text: JSON.stringify(args) }] })),
  ]);
  expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(["echo"]);
  expect(await session.callTool(CALL)).toEqual({ content: [{ type: "text", text: '{"a":1}' }] });
  await expect(session.callTool({ ...CALL, tool: "other" })).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  await session.close();
  expect(session.closed).toBe(true);
});

it("calls beforeSend once per call, because an approval can be used only once", async () => {
  const events: string[] = [];
  const run = () => {
    events.push("run");
    return Promise.resolve({ content: [] });
  };
  const upstreams = openUpstreams({}, { builtInTools: () => Promise.resolve([tool(run)]) });
  const beforeSend = () => {
    events.push("leave");
    return Promise.resolve();
  };
  await upstreams.call({ name: "own", connection: () => ({ kind: "built-in" }) }, { ...CALL, beforeSend });
  expect(events).toEqual(["leave", "run"]);
  await upstreams.close();
});

it("ends a call that exceeds its time limit, and rejects a cancelled call with its own reason", async () => {
  const session = openBuiltInSession("own", [tool(never)]);
  await expect(session.callTool({ ...CALL, timeoutMs: 1 })).rejects.toMatchObject({ code: "TOOL_EXECUTION_TIMEOUT" });
  const abort = new AbortController();
  const called = session.callTool({ ...CALL, context: { ...CALL.context, signal: abort.signal } });
  abort.abort(new Error("changed my mind"));
  await expect(called).rejects.toThrow("changed my mind");
});
