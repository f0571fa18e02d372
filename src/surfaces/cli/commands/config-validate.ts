import type { Stages } from "../../../compose.js";
import { describeUntrusted } from "../../../config/load.js";
import { DiscoveryError, toDiscoveryError } from "../../../errors.js";
import { findIneffectiveRules } from "../../../rules/lint.js";
import { describeProblem } from "../../../util/document/problem.js";
import type { Handler } from "../command.js";
import { reasonOf, toSentence } from "../failure.js";
import { GOOD, line, WARNING } from "../lines.js";
import { openCatalog, withEngine } from "../session.js";

export const validateConfig: Handler = (_input, context) =>
  withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    refuseBrokenSources(stages);
    const file = stages.loaded.file ?? null;
    const warnings = await findWarnings(stages);
    const untrusted = stages.loaded.untrusted.map(describeUntrusted);
    if (context.isJson) context.json({ valid: true, file, warnings: [...untrusted, ...warnings] });
    else {
      const what = file === null ? "No configuration file was found; the built-in defaults are" : `${file} is`;
      context.show([line(0, GOOD, ` ${what} valid.`), ...warnings.map((warning) => line(0, WARNING, ` ${warning}`))]);
    }
    return 0;
  });

/** A running gateway goes on without a broken source; whoever asks whether the configuration is right is told no. */
function refuseBrokenSources({ collected }: Stages): void {
  const { problems } = collected;
  const [first] = problems;
  if (first === undefined) return;
  throw new DiscoveryError("CONFIGURATION_ERROR", toSentence(describeProblem(first)), {
    hint: "Correct the source. Until then the gateway goes on without what is wrong in it.",
    facts: { problems },
  });
}

/** What is valid and yet probably not meant. */
export async function findWarnings(stages: Stages): Promise<string[]> {
  const { loaded, collected, rules, snapshot } = stages;
  const { tools, servers } = snapshot();
  const unknown = [...servers.values()].filter((server) => server.record === undefined && server.tools.length === 0);
  const ineffective = findIneffectiveRules(rules, [...tools.values()]).map(({ message }) => message);
  return [
    ...loaded.notices,
    ...collected.notices,
    ...(await findUnresolved(stages)),
    ...ineffective,
    ...(rules.rules.length > 0 && unknown.length > 0
      ? [unknownServers(unknown.map(({ definition }) => definition.name))]
      : []),
  ];
}

async function findUnresolved({ collected, target }: Stages): Promise<string[]> {
  const warnings = await Promise.all(
    collected.servers.map(async ({ name }) => {
      try {
        await target(name).connection();
        return [];
      } catch (error) {
        return [`${name} cannot be used: ${reasonOf(toDiscoveryError(error))}`];
      }
    }),
  );
  return warnings.flat();
}

function unknownServers(names: readonly string[]): string {
  return `The rules were not checked against the tools of ${names.join(", ")}: run \`anygpt mcp config reload\` to learn them.`;
}
