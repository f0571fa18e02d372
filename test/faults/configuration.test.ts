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

describe("with invalid configurations", () => {
  holdRows([
    ["files of every kind are accepted, or rejected in one line without replacing a valid one", configFiles, 5],
    ["a broken server does not affect the others", badServer, 2],
    ["servers that become reachable later are connected without a restart", lateServers, 3],
    ["arguments that a shell would interpret arrive unchanged", argv, 40],
    ["no duplicate name hides a server or tool", nameClashes, 6],
    ["prototype pollution keys have no effect", prototypeKeys, 100],
    ["surprising YAML is read as YAML 1.2 or rejected", yamlSurprises, 1],
    ["a random change to a configuration allows nothing that was denied", configMutations, 60],
  ]);
});
