import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { soak } from "./rows/load/soak.js";

const SECONDS = 6;
const LIMIT_MS = 180_000;

/** `npm run faults` has minutes of it, and `npm run soak` an hour. */
it(
  "gateways at half load lose nothing and hold nothing while one thing after the other goes wrong",
  async () => {
    const { violations, n, injected } = await soak({
      count: SECONDS,
      seed: 1,
      dist: join(ROOT, "dist"),
      failpoints: "",
    });
    expect(violations).toEqual([]);
    expect(n).toBeGreaterThan(0);
    expect(injected).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
