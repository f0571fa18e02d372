import { describe } from "vitest";
import { argv } from "./rows/configuration/argv.js";
import { badServer } from "./rows/configuration/bad-server.js";
import { configFiles } from "./rows/configuration/config-files.js";
import { configMutations } from "./rows/configuration/config-mutations.js";
import { lateServers } from "./rows/configuration/late-servers.js";
import { nameClashes } from "./rows/configuration/name-clashes.js";
import { prototypeKeys } from "./rows/configuration/prototype-keys.js";
import { yamlSurprises } from "./rows/configuration/yaml-surprises.js";
import { holdRows } from "./support/hold-rows.js";

describe("with configurations that are wrong", () => {
  holdRows([
    ["files of every kind are taken, or refused in one line, and never replace a good one", configFiles, 5],
    ["a broken server keeps no other from being used", badServer, 2],
    ["servers that appear later are reached without a restart", lateServers, 3],
    ["arguments that a shell would act on arrive as they are", argv, 40],
    ["no name hides another", nameClashes, 6],
    ["no key reaches a prototype", prototypeKeys, 100],
    ["YAML is what it says, or refused", yamlSurprises, 1],
    ["a configuration that was changed at random allows nothing that it denied", configMutations, 60],
  ]);
});
