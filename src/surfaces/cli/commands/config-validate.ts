import type { Stages } from "../../../compose.js";
import { describeUntrusted } from "../../../config/load.js";
import { DiscoveryError, toDiscoveryError } from "../../../errors.js";
import { findIneffectiveRules } from "../../../rules/lint.js";
import { importNotes, untrustedFiles } from "../../../notices.js";
import { toErrorObject } from "../../../metatools/to-error-object.js";
import { describeProblem, type Problem } from "../../../util/document/problem.js";
import type { Handler } from "../command.js";
import { toConfigPage } from "../config-page.js";
import { failureLines, reasonOf, toSentence } from "../failure.js";
import { GOOD, line, WARNING } from "../lines.js";
import { openCatalog, withEngine } from "../session.js";

export const validateConfig: Handler = (_input, context) =>
  withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const { loaded, collected } = stages;
    const warnings = await findWarnings(stages);
    const [problem] = collected.problems;
    const failure = problem === undefined ? undefined : toFailure(problem, collected.problems);
    const file = loaded.file ?? null;
    if (context.isJson) {
      const untrusted = untrustedFiles(loaded, collected).map(describeUntrusted);
      const { list: servers } = toConfigPage(stages).servers;
      const error = failure === undefined ? {} : toErrorObject(failure);
      context.json({ valid: failure === undefined, file, servers, warnings: [...untrusted, ...warnings], ...error });
    } else {
      context.show([
        ...(failure === undefined ? [line(0, GOOD, ` ${validText(stages)}`)] : []),
        ...warnings.map((warning) => line(0, WARNING, ` ${warning}`)),
      ]);
      context.note(failure === undefined ? [] : failureLines(failure));
    }
    return failure === undefined ? 0 : failure.entry.exit;
  });

function validText({ loaded, collected }: Stages): string {
  if (loaded.file !== undefined) return `${loaded.file} is valid.`;
  const [imported] = importNotes(loaded, collected);
  return imported === undefined ? "No configuration file is used." : imported;
}

/** A running gateway goes on without a broken source; whoever asks whether the configuration is right is told no. */
function toFailure(first: Problem, problems: readonly Problem[]): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", toSentence(describeProblem(first)), {
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
        target(name).written();
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
