import { afterEach, expect, it } from "vitest";
import { closeExecutors, setUpExecutor } from "../../test/support/executor.js";
import { executionOptions } from "./options.js";

afterEach(closeExecutors);

const configured = { parts: { options: executionOptions.parse({ timeoutMs: 200 }) } };

it("waits for a start as long as upstreams.startWaitMs, even if execution.timeoutMs is shorter", async () => {
  const { call, sent } = await setUpExecutor(configured);
  await call();
  expect(sent[0]).toMatchObject({ timeoutMs: 200, startWaitMs: 10_000 });
});

it("waits no longer than the timeout of the call itself", async () => {
  const { call, sent } = await setUpExecutor(configured);
  await call({ timeoutMs: 300 });
  await call({ timeoutMs: 300, startWaitMs: 5_000 });
  await call({ timeoutMs: 60_000 });
  expect(sent.map(({ startWaitMs }) => startWaitMs)).toEqual([300, 5_000, 10_000]);
});
