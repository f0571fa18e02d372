import { describe } from "vitest";
import { bombs } from "./rows/remote/bombs.js";
import { brokenConnections } from "./rows/remote/broken-connections.js";
import { failingStatuses } from "./rows/remote/failing-statuses.js";
import { lostSessions } from "./rows/remote/lost-sessions.js";
import { inboundHeaders } from "./rows/remote/inbound-headers.js";
import { internalAddresses } from "./rows/remote/internal-addresses.js";
import { slowAnswers } from "./rows/remote/slow-answers.js";
import { twoActors } from "./rows/remote/two-actors.js";
import { unreachable } from "./rows/remote/unreachable.js";
import { holdRows } from "./support/hold-rows.js";

describe("servers over HTTP", () => {
  holdRows([
    ["that are unreachable are reported with the reason and never contacted without TLS", unreachable, 1],
    ["that lose their sessions get one new session, and each call runs once", lostSessions, 2],
    ["with broken connections run no call twice, and their callers get an error at once", brokenConnections, 60],
    ["that fail receive few retries", failingStatuses, 60],
    ["that answer slowly or never run into the time limit", slowAnswers, 1],
    ["that send decompression bombs cost little memory", bombs, 1],
    ["receive no headers of callers", inboundHeaders, 30],
    ["keep the sessions of two actors separate", twoActors, 2],
    ["with an internal address are not connected to, wherever the address comes from", internalAddresses, 10],
  ]);
});
