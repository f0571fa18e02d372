import { describe, expect, it } from "vitest";
import { failedStarts } from "./rows/processes/failed-starts.js";
import { gatewayKilled } from "./rows/processes/gateway-killed.js";
import { abandonedCalls } from "./rows/processes/abandoned-calls.js";
import { hugeMessages } from "./rows/processes/huge-messages.js";
import { installers } from "./rows/processes/installers.js";
import { serverKills } from "./rows/processes/server-kills.js";
import { stderrFloods } from "./rows/processes/stderr-floods.js";
import { unreadInput } from "./rows/processes/unread-input.js";
import { wrapperKills } from "./rows/processes/wrapper-kills.js";
import { findSlow } from "./support/timing.js";
import { holdRows } from "./support/hold-rows.js";

describe("with failing server processes", () => {
  holdRows([
    ["callers get an error at once when a server is killed, and the next call works", serverKills, 4],
    ["killing the wrapper shell of a server has the same outcome", wrapperKills, 2],
    ["no process survives a killed gateway, and the next gateway starts each server once", gatewayKilled, 10],
    ["a message that is too large fails only its own call", hugeMessages, 11],
    ["failed starts report the reason and affect no other server", failedStarts, 15],
    ["cancelled calls do not restart their server", abandonedCalls, 16],
    ["an installation continues when its gateway exits, and leaves a working npx cache", installers, 2],
    ["a server that floods or closes its standard error still answers", stderrFloods, 10],
    ["calls that a server does not read time out, and the server is replaced", unreadInput, 1],
  ]);
});

it.each([
  ["within the gate", [10, 20], [1], 0],
  ["over the gate on a machine whose control is slow too", [300, 400], [100], 0],
  ["over the gate and many times the control", [300, 400], [10], 1],
])("judges a time %s", (_, ms, control, found) => {
  expect(findSlow({ of: "it", ms, gateMs: 250, control })).toHaveLength(found);
});
