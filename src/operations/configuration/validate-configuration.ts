import { describeUntrusted } from "../../config/load.js";
import type { DiscoveryEngine } from "../../engine.js";
import { toDiscoveryError } from "../../errors.js";
import { importNotes, untrustedFiles } from "../../gateway/notices.js";
import type { Stages } from "../../gateway/stages.js";
import { type DescribeStep, describeLibraryStep, type NextStep, withHintText } from "../../model/next-steps.js";
import { findIneffectiveRules } from "../../rules/lint.js";
import type { Problem } from "../../util/document/problem.js";
import { openCatalog } from "../open-catalog.js";
import { type ConfiguredServerLine, describeStages } from "./describe-configuration.js";

/** The problems of the effective configuration. */
export interface ConfigurationVerdict {
  /** The path of the configuration file. Null if there is none. */
  readonly file: string | null;
  /** Set only without a configuration file: one sentence about the origin of the servers. */
  readonly imported?: string;
  readonly servers: readonly ConfiguredServerLine[];
  /** Invalid entries of sources, which the gateway ignores. The configuration is valid if the list is empty. */
  readonly problems: readonly Problem[];
  /** One sentence for each file of the project that the gateway ignores because the user has not trusted it. */
  readonly untrusted: readonly string[];
  /** Valid entries that are probably mistakes: servers that cannot be used, rules without effect. */
  readonly warnings: readonly string[];
}

/** Options of `validateConfiguration`. */
export interface ValidateOptions {
  /** Renders the suggested next steps of a warning as text. Default: as calls to this library. @internal */
  readonly describe?: DescribeStep;
}

/**
 * Checks the configuration, its sources, rules and variables. Throws `CONFIGURATION_ERROR` if the configuration file is
 * invalid.
 */
export async function validateConfiguration(
  engine: DiscoveryEngine,
  options: ValidateOptions = {},
): Promise<ConfigurationVerdict> {
  const { describe = describeLibraryStep } = options;
  const stages = await openCatalog(engine);
  const { loaded, configuredServers } = stages;
  const [imported] = importNotes(loaded, configuredServers);
  return {
    file: loaded.file ?? null,
    ...(imported === undefined ? {} : { imported }),
    servers: describeStages(stages).servers.list,
    problems: configuredServers.problems,
    untrusted: untrustedFiles(loaded, configuredServers).map(describeUntrusted),
    warnings: findWarnings(stages, describe),
  };
}

const LIST_TOOLS: NextStep = {
  action: "run-command",
  command: "anygpt mcp config reload",
  purpose: "list the tools of all servers",
};

function findWarnings(stages: Stages, describe: DescribeStep): string[] {
  const { loaded, configuredServers, rules, snapshot, resolveConnection } = stages;
  const { tools, servers } = snapshot();
  const unresolved = configuredServers.servers.flatMap(({ name }) => {
    try {
      resolveConnection(name).withoutSecrets();
      return [];
    } catch (error) {
      return [`${name} cannot be used: ${withHintText(toDiscoveryError(error), describe)}`];
    }
  });
  const unknown = [...servers.values()].filter((server) => server.record === undefined && server.tools.length === 0);
  const names = unknown.map(({ definition }) => definition.name).join(", ");
  return [
    ...loaded.notices,
    ...configuredServers.notices,
    ...unresolved,
    ...findIneffectiveRules(rules, [...tools.values()]).map(({ message }) => message),
    ...(rules.rules.length > 0 && unknown.length > 0
      ? [`The rules were not checked against the tools of ${names}, which are not known yet. ${describe(LIST_TOOLS)}`]
      : []),
  ];
}
