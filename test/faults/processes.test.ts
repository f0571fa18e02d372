import { describe, expect, it } from "vitest";
import { failedStarts } from "./rows/processes/failed-starts.js";
import { gatewayKilled } from "./rows/processes/gateway-killed.js";
import { givenUpCalls } from "./rows/processes/given-up-calls.js";
import { hugeMessages } from "./rows/processes/huge-messages.js";
import { installers } from "./rows/processes/installers.js";
import { serverKills } from "./rows/processes/server-kills.js";
import { stderrFloods } from "./rows/processes/stderr-floods.js";
import { unreadInput } from "./rows/processes/unread-input.js";
import { wrapperKills } from "./rows/processes/wrapper-kills.js";
import { findSlow } from "./support/timing.js";
import { holdRows } from "./support/hold-rows.js";

describe("under faults of server processes", () => {
  holdRows([
    ["callers know at once that a server was killed, and the next call works", serverKills, 4],
    ["killing the shell around a server is no different", wrapperKills, 2],
    ["nothing outlives a gateway that is killed, and the next starts each server once", gatewayKilled, 10],
    ["a message that is too large costs its own call only", hugeMessages, 11],
    ["starts that fail say why, and hurt nobody", failedStarts, 15],
    ["calls that are given up leave their server in peace", givenUpCalls, 16],
    ["an installation goes on when its gateway ends, and leaves a working npx cache", installers, 2],
    ["a server that floods its standard error, or closes it, answers as ever", stderrFloods, 10],
    ["calls that a server does not read end in time, and the server is replaced", unreadInput, 1],
  ]);
});

it.each([
  ["within the gate", [10, 20], [1], 0],
  ["over the gate on a machine that is as slow itself", [300, 400], [100], 0],
  ["over the gate and many times the control", [300, 400], [10], 1],
])("a time is %s", (_, ms, control, found) => {
  expect(findSlow({ of: "it", ms, gateMs: 250, control })).toHaveLength(found);
});
