import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { crashMatrix } from "./rows/idempotency/crash-matrix.js";
import { gatewayKills } from "./rows/idempotency/gateway-kills.js";
import { idempotencyCases } from "./rows/idempotency/idempotency-cases.js";
import { suspendedGateway } from "./rows/idempotency/suspended-gateway.js";
import { rateBucket } from "./rows/policy/rate-bucket.js";
import { sameIds } from "./rows/protocol/same-ids.js";
import { sameKey } from "./rows/idempotency/same-key.js";
import { selfApproval } from "./rows/policy/self-approval.js";
import { sharedStoreLoad } from "./rows/idempotency/shared-store-load.js";
import { holdRows } from "./support/hold-rows.js";

const dist = join(ROOT, "dist");
// Inside the package, so that its dependencies resolve.
const failpoints = `dist-faults-test-${process.pid}`;

beforeAll(() => {
  const words = ["scripts/build.mjs", "--failpoints", "--out", failpoints];
  execFileSync(process.execPath, words, { cwd: ROOT, stdio: "inherit" });
});
afterAll(() => rmSync(join(ROOT, failpoints), { recursive: true, force: true }));

describe("under faults", () => {
  holdRows(
    [
      ["a call runs once or has an unknown outcome, wherever its gateway is killed", crashMatrix, 1],
      ["calls through four gateways with one store are neither lost nor duplicated", sharedStoreLoad, 150],
      ["calls survive killed gateways", gatewayKills, 2],
      ["only one of many calls with one key runs", sameKey, 4],
      ["idempotency keys keep their guarantees", idempotencyCases, 1],
      ["no gateway takes over the call of a suspended gateway", suspendedGateway, 2],
      ["gateways that share a rate limit do not exceed it", rateBucket, 200],
      ["no caller confirms its own call", selfApproval, 30],
      ["every answer reaches its caller, whatever request ids clients use", sameIds, 800],
    ],
    join(ROOT, failpoints),
  );
});

it("the published build contains no failpoint", () => {
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
  const armed = files.filter((file) => /FAILPOINT|call\.after_/.test(readFileSync(join(dist, file), "utf8")));
  expect(files.length).toBeGreaterThan(0);
  expect(armed).toEqual([]);
});
