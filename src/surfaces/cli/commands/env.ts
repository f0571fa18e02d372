import { ERRORS } from "../../../errors.js";
import {
  type GivenEnvironment,
  listVariables,
  type NeededSecret,
  type ReferencedVariable,
} from "../../../operations/configuration/list-variables.js";
import { BAD, blocks, bold, count, dim, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import { engineCommand } from "../session.js";

export const env = engineCommand(async (engine, input, context) => {
  const found = await listVariables(engine);
  const { variables, secrets, environment, notices } = found;
  context.reply(found, () => blocks([variableLines(variables), secretLines(secrets), environmentLines(environment)]));
  if (!context.isJson) context.note(notices.map((notice) => line(0, WARNING, ` ${notice}`)));
  const isComplete = variables.every(({ status }) => status !== "missing");
  return isComplete || !input.flag("check") ? 0 : ERRORS.CONFIGURATION_ERROR.exit;
});

/**
 * Lists the secrets that the configuration refers to, because keychain tools cannot list names without showing values.
 */
export const listSecrets = engineCommand(async (engine, _input, context) => {
  const found = (await listVariables(engine)).secrets;
  const secrets = found.map(({ reference, neededBy: usedBy }) => ({ reference, usedBy }));
  context.reply({ secrets }, () => {
    if (secrets.length === 0) return [line(0, NO_SECRETS)];
    return secrets.map(({ reference, usedBy }) => line(0, bold(reference), ` (used by ${usedBy.join(", ")})`));
  });
});

const NO_SECRETS =
  "No server refers to a secret. Store one with `anygpt mcp secret set NAME`, then write ${keychain:NAME} in the `env` or `headers` of a server.";

function secretLines(secrets: readonly NeededSecret[]): Line[] {
  if (secrets.length === 0) return [];
  return [
    line(0, bold(`Secret references (${secrets.length})`), ":"),
    ...secrets.map(({ reference, neededBy }) =>
      line(2, dim("-"), " ", bold(reference), ` (needed by ${neededBy.join(", ")})`),
    ),
  ];
}

function environmentLines({ inherited, withheld }: GivenEnvironment): Line[] {
  return [
    ...inherited.map(({ server, inheritEnv }) => line(0, bold(server), ` inherits ${inheritEnv.join(", ")}.`)),
    ...withheld.map(({ client, servers }) =>
      line(
        0,
        `${client} passes its complete environment to ${servers.join(", ")}; the gateway passes only the variables in \`env\`. ` +
          "If a server needs another variable, add it to `inheritEnv` of the server or to `upstreams.inheritEnv`.",
      ),
    ),
  ];
}

const MARKS = { set: GOOD, default: dim("-"), missing: BAD } as const;

function variableLines(variables: readonly ReferencedVariable[]): Line[] {
  if (variables.length === 0) return ["No server needs an environment variable."];
  const missing = variables.filter(({ status }) => status === "missing").length;
  return blocks([
    [line(0, bold(`Environment variables (${variables.length})`), ":")],
    variables.flatMap((one) => [
      line(2, MARKS[one.status], " ", bold(one.name), `: ${describe(one)}`),
      ...(one.description === undefined || one.status === "set" ? [] : [line(6, one.description)]),
    ]),
    missing === 0
      ? []
      : [
          `${count(missing, "variable")} missing: the servers that need ${missing === 1 ? "it" : "them"} cannot be used.`,
        ],
  ]);
}

function describe({ status, from, untrusted, neededBy }: ReferencedVariable): string {
  const where = {
    set: `from ${from === "environment" ? "the environment" : from}`,
    default: "not set, has a default",
    missing: "not set",
  };
  const barred =
    untrusted === undefined
      ? ""
      : `, but ${untrusted} sets it and is not trusted; run \`anygpt mcp config trust\` to use it`;
  return `${where[status]}${barred} (needed by ${neededBy.join(", ")})`;
}
