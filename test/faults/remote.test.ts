import { describe } from "vitest";
import { bombs } from "./rows/remote/bombs.js";
import { brokenConnections } from "./rows/remote/broken-connections.js";
import { failingStatuses } from "./rows/remote/failing-statuses.js";
import { forgottenSessions } from "./rows/remote/forgotten-sessions.js";
import { inboundHeaders } from "./rows/remote/inbound-headers.js";
import { inwardAddresses } from "./rows/remote/inward-addresses.js";
import { slowAnswers } from "./rows/remote/slow-answers.js";
import { twoActors } from "./rows/remote/two-actors.js";
import { unreachable } from "./rows/remote/unreachable.js";
import { holdRows } from "./support/hold-rows.js";

describe("servers over HTTP", () => {
  holdRows([
    ["that cannot be reached are told as what they are, and never asked without TLS", unreachable, 1],
    ["that forget their sessions get one new one, and each call runs once", forgottenSessions, 2],
    ["whose connections break off run no call twice, and their callers hear of it at once", brokenConnections, 60],
    ["that fail are not asked much more often than there are calls", failingStatuses, 60],
    ["that answer slowly or never are left at the limit", slowAnswers, 1],
    ["that send bombs cost little memory", bombs, 1],
    ["hear nothing of what callers send in headers", inboundHeaders, 30],
    ["keep apart what two actors do", twoActors, 2],
    ["that lead inward are not connected to, whoever names them", inwardAddresses, 10],
  ]);
});
