import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { crashMatrix } from "./rows/idempotency/crash-matrix.js";
import { gatewayKills } from "./rows/idempotency/gateway-kills.js";
import { idempotencyCases } from "./rows/idempotency/idempotency-cases.js";
import { pausedGateway } from "./rows/idempotency/paused-gateway.js";
import { rateBucket } from "./rows/policy/rate-bucket.js";
import { sameIds } from "./rows/protocol/same-ids.js";
import { sameKey } from "./rows/idempotency/same-key.js";
import { selfApproval } from "./rows/policy/self-approval.js";
import { sharedStoreLoad } from "./rows/idempotency/shared-store-load.js";
import { holdRows } from "./support/hold-rows.js";

const dist = join(ROOT, "dist");
// Inside the package, where its dependencies are found.
const failpoints = `dist-faults-test-${process.pid}`;

beforeAll(() => {
  const words = ["scripts/build.mjs", "--failpoints", "--out", failpoints];
  execFileSync(process.execPath, words, { cwd: ROOT, stdio: "inherit" });
});
afterAll(() => rmSync(join(ROOT, failpoints), { recursive: true, force: true }));

describe("under faults", () => {
  holdRows(
    [
      ["a call runs once or says that nobody knows, wherever its gateway is killed", crashMatrix, 1],
      ["calls of four gateways on one store are neither lost nor doubled", sharedStoreLoad, 150],
      ["calls outlive the gateways that are killed under them", gatewayKills, 2],
      ["of many calls with one key one runs", sameKey, 4],
      ["keys keep what they promise", idempotencyCases, 1],
      ["nobody takes over the call of a gateway that stands still", pausedGateway, 2],
      ["gateways that share a bucket take no more than it holds", rateBucket, 200],
      ["no caller confirms its own call", selfApproval, 30],
      ["every answer reaches who has asked, whatever ids clients use", sameIds, 800],
    ],
    join(ROOT, failpoints),
  );
});

it("no failpoint is in the build that people get", () => {
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
  const armed = files.filter((file) => /FAILPOINT|call\.after_/.test(readFileSync(join(dist, file), "utf8")));
  expect(files.length).toBeGreaterThan(0);
  expect(armed).toEqual([]);
});
