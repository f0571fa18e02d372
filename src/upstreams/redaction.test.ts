import { afterEach, expect, it } from "vitest";
import { failure } from "../../test/support/failure.js";
import { openUpstreams, type OpenUpstreams, stdioTarget, textOf, toCall } from "../../test/support/upstreams.js";
import type { CallEvent } from "../model/call.js";
import { createSecrets } from "../util/secrets.js";

let upstreams: OpenUpstreams | undefined;
afterEach(() => upstreams?.close());

/** A gateway with a secret of another server; the called server never received it. */
function open(): OpenUpstreams {
  const secrets = createSecrets();
  secrets.note("s3cret-key");
  upstreams = openUpstreams({}, { secrets });
  return upstreams;
}

it("redacts the secrets of one server in the error of another", async () => {
  const call = toCall("reject", { code: -32_000, message: `no czNjcmV0LWtleQ== or s3cret-key` });
  const error = await failure(open().call(stdioTarget("other", ["echo.mjs"]), call));
  expect(error).toMatchObject({
    code: "TOOL_EXECUTION_ERROR",
    message: "other answered with an error: no ***Q== or ***.",
  });
});

it("redacts secrets in log messages, and leaves results unchanged", async () => {
  const events: CallEvent[] = [];
  const onEvent = (event: CallEvent): void => void events.push(event);
  const target = stdioTarget("other", ["echo.mjs"]);
  await open().call(target, toCall("log", { message: "with s3cret-key" }, { onEvent }));
  expect(events).toEqual([{ kind: "log", level: "info", logger: "other: echo", data: "with ***" }]);
  const result = await upstreams?.call(target, toCall("echo", { text: "with s3cret-key" }));
  expect(result && textOf(result)).toBe("with s3cret-key");
});

it("redacts the configured values of a server only in messages of that server", async () => {
  const connection = async (noteSecret?: (value: string) => void) => {
    noteSecret?.("from-variable");
    const plain = await stdioTarget("own", ["echo.mjs"]).connection();
    return { ...plain, env: { SETTING: "given-setting" } };
  };
  const call = toCall("reject", { code: -32_000, message: "given-setting from-variable" });
  const own = await failure(open().call(stdioTarget("own", ["echo.mjs"], { connection }), call));
  expect(own).toMatchObject({ message: "own answered with an error: *** ***." });
  const other = upstreams?.call(stdioTarget("other", ["echo.mjs"]), call) ?? Promise.resolve();
  expect(await failure(other)).toMatchObject({ message: "other answered with an error: given-setting ***." });
});
