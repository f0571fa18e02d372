import { CLIENTS } from "../../../sources/clients/table.js";
import type { ClientId } from "../../../sources/options.js";
import { BAD, blocks, bold, count, dim, GOOD, line, type Line, type Styled, WARNING } from "../../../terminal/lines.js";
import type { ImportPage, ImportableFile, ImportableServer } from "../../../operations/import/report.js";
import { shortenHome } from "../../../util/home-path.js";
import type { Undone } from "../../../operations/files/undo.js";

/** The servers that were found, grouped by file. */
export function foundLines({ files }: ImportPage, home: string): Line[] {
  const servers = files.reduce((sum, file) => sum + file.servers.length, 0);
  const programs = new Set(files.map(({ client }) => client)).size;
  if (files.length === 0) return ["No configuration file of an MCP client was found."];
  return blocks([
    [line(0, bold(`Found ${count(servers, "server")} in files of ${count(programs, "client")}`), ":")],
    ...files.map((file) => fileLines(file, home)),
  ]);
}

function fileLines({ client, file, status, problems, servers }: ImportableFile, home: string): Line[] {
  const title = CLIENTS[client as ClientId].title;
  const state = status === "untrusted" ? " - belongs to the project and is not trusted" : "";
  const nothing = servers.length === 0 && problems.length === 0 ? " - no servers" : "";
  return [
    line(0, bold(title), ` (${shortenHome(file, home)})${state}${nothing}`),
    ...servers.flatMap(serverLines),
    ...problems.map((problem) => line(2, BAD, ` ${problem} - not imported`)),
  ];
}

function serverLines(server: ImportableServer): Line[] {
  const [mark, text] = fateOf(server);
  const { variables, notes } = server;
  const isUsed = server.outcome === "taken" || server.outcome === "renamed";
  const missing = variables.filter(({ status }) => status === "missing");
  const set = variables.filter(({ status }) => status !== "missing");
  const unset = ` needs ${missing.map(({ name }) => name).join(", ")}, which ${missing.length === 1 ? "is" : "are"} not set`;
  return [
    line(2, mark, " ", bold(server.name), `: ${server.transport}, ${server.reach}${text}`),
    ...(isUsed && missing.length > 0 ? [line(6, WARNING, unset)] : []),
    ...(isUsed && set.length > 0 ? [line(6, dim(`uses ${set.map(describeVariable).join(", ")}`))] : []),
    ...(isUsed ? notes.map((note) => line(6, dim(note))) : []),
  ];
}

function describeVariable({ name, status }: { readonly name: string; readonly status: string }): string {
  return status === "set" ? `${name} (set)` : `${name} (has a default)`;
}

function fateOf({ outcome, as, reason }: ImportableServer): [Styled, string] {
  switch (outcome) {
    case "taken":
      return [GOOD, ""];
    case "renamed":
      return [GOOD, ` - imported as ${as}, because the name is already used`];
    case "known":
      return [dim("="), ` - already in your configuration as ${as}`];
    case "duplicate":
      return [dim("="), ` - same server as ${as}`];
    case "gateway":
      return [dim("-"), " - is this gateway"];
    case "disabled":
      return [dim("-"), ` - not imported: ${reason}`];
    case "bound":
      return [dim("-"), ` - stays in this file: ${reason}`];
    case "untrusted":
      return [dim("-"), " - not imported"];
  }
}

/** The files that would be written or were written. */
export function changeLines(page: ImportPage, home: string): Line[] {
  const { changes, written, rewrites, secrets } = page;
  const entries =
    secrets.keychain.length === 0
      ? []
      : [line(2, written ? GOOD : dim("+"), " ", bold("keychain"), `: receives ${secrets.keychain.join(", ")}`)];
  const files = changes.map(({ file, what, failure }) => {
    if (failure !== undefined) return line(2, BAD, ` ${failure.replaceAll(file, shortenHome(file, home))}`);
    return line(2, written ? GOOD : dim("+"), " ", bold(shortenHome(file, home)), `: ${what}`);
  });
  const rest = rewrites
    .filter(({ status, file }) => status === "refused" || file === null)
    .map(({ client, file, reason, status }) => {
      const mark = status === "refused" ? BAD : WARNING;
      return line(2, mark, " ", bold(file === null ? client : shortenHome(file, home)), ` not changed: ${reason}`);
    });
  const staying = rewrites.filter(({ status, kept, reason }) => status === "unchanged" && kept.length > 0 && reason);
  const left = staying.map(({ file, kept, reason }) =>
    line(2, dim("-"), ` ${shortenHome(file ?? "", home)} keeps ${kept.join(", ")}: ${reason}`),
  );
  const reasons = rewrites.flatMap(({ file, reasons: why }) =>
    why.map(({ server, reason }) =>
      line(2, dim("-"), ` ${server} stays in ${shortenHome(file ?? "", home)}: ${reason}`),
    ),
  );
  if (entries.length + files.length + rest.length + left.length + reasons.length === 0) return [];
  return [
    line(0, bold(written ? "Written" : "To be written"), ":"),
    ...entries,
    ...files,
    ...rest,
    ...left,
    ...reasons,
  ];
}

/** Files that were not used, and how to fix that. */
export function leftOutLines({ files, rewrites }: ImportPage, home: string): Line[] {
  const refused = rewrites.flatMap(({ status, file }) => (status === "refused" && file !== null ? [file] : []));
  const broken = files.flatMap(({ status, file }) => (status === "broken" ? [file] : []));
  const untrusted = files.filter(({ status, servers }) => status === "untrusted" && servers.length > 0);
  return [
    ...[...new Set([...broken, ...refused])].map((file) =>
      line(2, BAD, ` ${shortenHome(file, home)} was not imported. Correct it and run the command again.`),
    ),
    ...untrusted.map(({ file, servers }) =>
      line(
        2,
        WARNING,
        ` ${shortenHome(file, home)} with ${count(servers.length, "server")} was not imported, because it belongs to the project and is not trusted. ` +
          "Review it, then run `anygpt mcp config trust`.",
      ),
    ),
  ];
}

export function adviceLines(page: ImportPage, home: string): Line[] {
  const { notes, endsZeroConfiguration } = page;
  const secretLines = clearLines(page, home);
  const future = endsZeroConfiguration
    ? [
        line(
          0,
          dim("The gateway will use this file instead of the files of MCP clients, unless `sources` in it lists them."),
        ),
      ]
    : [];
  return [...secretLines, ...notes.map((note) => line(0, WARNING, ` ${note}`)), ...future];
}

/** The secrets that are copied in plain text, and the options that store them elsewhere. */
function clearLines({ secrets, config }: ImportPage, home: string): Line[] {
  const copied = [...new Set(secrets.copied.map(({ server, where }) => `${server} ${where}`))];
  if (copied.length === 0) return [];
  const what = `${count(copied.length, "secret")} in plain text ${copied.length === 1 ? "is" : "are"} copied into`;
  return [
    line(0, WARNING, ` ${what} ${shortenHome(config, home)}, which only you can read:`),
    ...copied.map((one) => line(4, one)),
    line(2, "`--secrets keychain` moves secrets into the system keychain instead, `--secrets env` into ~/.ai/.env."),
  ];
}

const UNDONE: Readonly<Record<Undone["status"], readonly [mark: Styled, done: string, planned: string]>> = {
  restored: [GOOD, "was restored to its state before WHAT", "will be restored to its state before WHAT"],
  removed: [GOOD, "was deleted", "will be deleted"],
  "as before": [dim("="), "already had its previous content", "already has its previous content"],
  refused: [BAD, "was not changed", "will not be changed"],
  waiting: [WARNING, "was not changed", "will not be changed"],
};

/** `what` names the command that is undone. */
export function undoneLines(undone: readonly Undone[], isPlanned: boolean, home: string, what = "the import"): Line[] {
  return undone.flatMap(({ path, status, reason, changed = [], overwritten, keychain = [] }) => {
    const [mark, done, planned] = UNDONE[status];
    const text = (isPlanned ? planned : done).replace("WHAT", what);
    const why = reason === undefined ? "" : `: ${reason}`;
    return [
      line(0, mark, " ", bold(shortenHome(path, home)), ` ${text}${why}`),
      ...changed.map((where) => line(4, `changed: ${where}`)),
      ...(overwritten === undefined
        ? []
        : [line(4, `The overwritten content was saved in ${shortenHome(overwritten, home)}.`)]),
      ...(status === "restored" || status === "removed" ? keychain : []).map((name) =>
        line(4, `The secret ${name} stays in the keychain. Remove it with \`anygpt mcp secret remove ${name}\`.`),
      ),
    ];
  });
}
