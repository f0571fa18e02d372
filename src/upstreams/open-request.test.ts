import { expect, it } from "vitest";
import { failure } from "../../test/support/failure.js";
import { DiscoveryError } from "../errors.js";
import { OpenRequest } from "./open-request.js";

const UNSENT = new DiscoveryError("SERVER_CONNECTION_ERROR", "It cannot be reached.", { executed: "no" });

/** A request whose server asks for more so many times before nothing reaches it any more. */
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
  ["nothing of it was sent", 0, { code: "SERVER_CONNECTION_ERROR", executed: "no" }],
  ["it had asked for more before", 1, { code: "TOOL_EXECUTION_ERROR", executed: "unknown" }],
  ["it had asked for more twice", 2, { code: "TOOL_EXECUTION_ERROR", executed: "unknown" }],
])("whether a server has carried out a request that does not reach it, when %s", async (_, rounds, expected) => {
  expect(await failAfter(rounds)).toMatchObject(expected);
});
