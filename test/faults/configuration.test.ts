import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { argv } from "./rows/configuration/argv.js";
import { badServer } from "./rows/configuration/bad-server.js";
import { configFiles } from "./rows/configuration/config-files.js";
import { configMutations } from "./rows/configuration/config-mutations.js";
import { lateServers } from "./rows/configuration/late-servers.js";
import { nameClashes } from "./rows/configuration/name-clashes.js";
import { prototypeKeys } from "./rows/configuration/prototype-keys.js";
import { yamlSurprises } from "./rows/configuration/yaml-surprises.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 120_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("with configurations that are wrong", () => {
  it.each<[string, Row, number]>([
    ["files of every kind are taken, or refused in one line, and never replace a good one", configFiles, 5],
    ["a broken server keeps no other from being used", badServer, 2],
    ["servers that appear later are reached without a restart", lateServers, 3],
    ["arguments that a shell would act on arrive as they are", argv, 40],
    ["no name hides another", nameClashes, 6],
    ["no key reaches a prototype", prototypeKeys, 100],
    ["YAML is what it says, or refused", yamlSurprises, 1],
    ["a configuration that was changed at random allows nothing that it denied", configMutations, 60],
  ])(
    "%s",
    async (_, row, count) => {
      const result = await row({ count, seed: SEED, dist, failpoints: dist });
      expect(result.violations).toEqual([]);
      expect(result.injected).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
