import { expect, it } from "vitest";
import { failure } from "../../test/support/failure.js";
import { DiscoveryError } from "../errors.js";
import { OpenRequest } from "./open-request.js";

const UNSENT = new DiscoveryError("SERVER_CONNECTION_ERROR", "It cannot be reached.", { executed: "no" });

/** A request whose server asks for input this many times before it becomes unreachable. */
async function failAfter(rounds: number): Promise<DiscoveryError> {
  const sent: object[] = [];
  const request = new OpenRequest(
    {
      method: "tools/call",
      params: {},
      timeoutMs: 60_000,
      maxTotalMs: 60_000,
      more: () => Promise.resolve({ more: 1 }),
    },
    {
      server: "one",
      dispatch: (wanted) => sent.push(wanted.params),
      forget: () => undefined,
      cancel: () => undefined,
      onSettled: () => undefined,
    },
  );
  for (let round = 1; round <= rounds; round += 1) {
    request.answer({ result: {} });
    await Promise.resolve();
    await Promise.resolve();
    expect(sent).toHaveLength(round + 1);
  }
  request.fail(UNSENT);
  return await failure(request.answered);
}

it.each([
  ["nothing was sent", 0, { code: "SERVER_CONNECTION_ERROR", executed: "no" }],
  ["the server had asked for input once", 1, { code: "TOOL_EXECUTION_ERROR", executed: "unknown" }],
  ["the server had asked for input twice", 2, { code: "TOOL_EXECUTION_ERROR", executed: "unknown" }],
])("reports whether a request was executed if the server becomes unreachable when %s", async (_, rounds, expected) => {
  expect(await failAfter(rounds)).toMatchObject(expected);
});
