import { CLIENTS } from "../../../sources/clients/table.js";
import type { ClientId } from "../../../sources/options.js";
import { BAD, blocks, bold, count, dim, GOOD, line, type Line, type Styled, WARNING } from "../lines.js";
import type { ImportPage, ListedFile, ListedServer } from "./page.js";
import type { Undone } from "../../../operations/files/undo.js";

/** What was found where. */
export function foundLines({ files }: ImportPage, home: string): Line[] {
  const servers = files.reduce((sum, file) => sum + file.servers.length, 0);
  const programs = new Set(files.map(({ client }) => client)).size;
  if (files.length === 0) return [line(0, "No file of another program was found.")];
  return blocks([
    [line(0, bold(`Found ${count(servers, "server")} in files of ${count(programs, "program")}`), ":")],
    ...files.map((file) => fileLines(file, home)),
  ]);
}

function fileLines({ client, file, status, problems, servers }: ListedFile, home: string): Line[] {
  const title = CLIENTS[client as ClientId].title;
  const state = status === "untrusted" ? " - came with the project and is not trusted" : "";
  const nothing = servers.length === 0 && problems.length === 0 ? " - no servers" : "";
  return [
    line(0, bold(title), ` (${shortened(file, home)})${state}${nothing}`),
    ...servers.flatMap(serverLines),
    ...problems.map((problem) => line(2, BAD, ` ${problem} - left as it is`)),
  ];
}

function serverLines(server: ListedServer): Line[] {
  const [mark, text] = fateOf(server);
  const { variables, notes } = server;
  const isUsed = server.outcome === "taken" || server.outcome === "renamed";
  const missing = variables.filter(({ status }) => status === "missing");
  const set = variables.filter(({ status }) => status !== "missing");
  return [
    line(2, mark, " ", bold(server.name), `: ${server.transport}, ${server.reach}${text}`),
    ...(isUsed && missing.length > 0
      ? [line(6, WARNING, ` needs ${missing.map(({ name }) => name).join(", ")}, not set`)]
      : []),
    ...(isUsed && set.length > 0 ? [line(6, dim(`uses ${set.map(describeVariable).join(", ")}`))] : []),
    ...(isUsed ? notes.map((note) => line(6, dim(note))) : []),
  ];
}

function describeVariable({ name, status }: { readonly name: string; readonly status: string }): string {
  return status === "set" ? `${name} (set)` : `${name} (has a default)`;
}

function fateOf({ outcome, as, reason }: ListedServer): [Styled, string] {
  switch (outcome) {
    case "taken":
      return [GOOD, ""];
    case "renamed":
      return [GOOD, ` - as ${as}, because the name is taken`];
    case "known":
      return [dim("="), ` - your configuration has it as ${as}`];
    case "duplicate":
      return [dim("="), ` - the same as ${as}`];
    case "gateway":
      return [dim("-"), " - this gateway itself"];
    case "disabled":
      return [dim("-"), ` - left out: ${reason}`];
    case "bound":
      return [dim("-"), ` - stays there: ${reason}`];
    case "untrusted":
      return [dim("-"), " - left out"];
  }
}

/** What would be written, or was. */
export function changeLines(page: ImportPage, home: string): Line[] {
  const { changes, written, rewrites, secrets } = page;
  const entries =
    secrets.keychain.length === 0
      ? []
      : [line(2, written ? GOOD : dim("+"), " ", bold("keychain"), `: gets ${secrets.keychain.join(", ")}`)];
  const files = changes.map(({ file, what, failure }) => {
    if (failure !== undefined) return line(2, BAD, ` ${failure.replaceAll(file, shortened(file, home))}`);
    return line(2, written ? GOOD : dim("+"), " ", bold(shortened(file, home)), `: ${what}`);
  });
  const rest = rewrites
    .filter(({ status, file }) => status === "refused" || file === null)
    .map(({ client, file, reason, status }) => {
      const mark = status === "refused" ? BAD : WARNING;
      return line(2, mark, " ", bold(file === null ? client : shortened(file, home)), ` left as it is: ${reason}`);
    });
  const staying = rewrites.filter(({ status, kept, reason }) => status === "unchanged" && kept.length > 0 && reason);
  const left = staying.map(({ file, kept, reason }) =>
    line(2, dim("-"), ` ${shortened(file ?? "", home)} keeps ${kept.join(", ")}: ${reason}`),
  );
  const reasons = rewrites.flatMap(({ file, reasons: why }) =>
    why.map(({ server, reason }) => line(2, dim("-"), ` ${server} stays in ${shortened(file ?? "", home)}: ${reason}`)),
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

/** What was not used of what was found, and what to do about it. */
export function leftOutLines({ files, rewrites }: ImportPage, home: string): Line[] {
  const refused = rewrites.flatMap(({ status, file }) => (status === "refused" && file !== null ? [file] : []));
  const broken = files.flatMap(({ status, file }) => (status === "broken" ? [file] : []));
  const untrusted = files.filter(({ status, servers }) => status === "untrusted" && servers.length > 0);
  return [
    ...[...new Set([...broken, ...refused])].map((file) =>
      line(2, BAD, ` ${shortened(file, home)} was left out: correct it and run the command again.`),
    ),
    ...untrusted.map(({ file, servers }) =>
      line(
        2,
        WARNING,
        ` ${shortened(file, home)} was left out with ${count(servers.length, "server")}, because it came with the project: ` +
          "look at it and run `anygpt mcp config trust`.",
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
          dim(
            "From then on the gateway uses that file, and not the files of other programs, unless its `sources` name them.",
          ),
        ),
      ]
    : [];
  return [...secretLines, ...notes.map((note) => line(0, WARNING, ` ${note}`)), ...future];
}

/** The secrets that stay in clear text, by server and key, and the options that move them. */
function clearLines({ secrets, config }: ImportPage, home: string): Line[] {
  const copied = [...new Set(secrets.copied.map(({ server, where }) => `${server} ${where}`))];
  if (copied.length === 0) return [];
  const what = `${count(copied.length, "secret")} in clear text ${copied.length === 1 ? "is" : "are"} copied into`;
  return [
    line(0, WARNING, ` ${what} ${shortened(config, home)}, which only you can read:`),
    ...copied.map((one) => line(4, one)),
    line(2, "`--secrets keychain` moves secrets into the system's keychain instead, `--secrets env` into ~/.ai/.env."),
  ];
}

const UNDONE: Readonly<Record<Undone["status"], readonly [mark: Styled, done: string, planned: string]>> = {
  restored: [GOOD, "is as it was before WHAT", "becomes what it was before WHAT"],
  removed: [GOOD, "is gone again", "goes again"],
  "as before": [dim("="), "was as before already", "is as before already"],
  refused: [BAD, "was left as it is", "stays as it is"],
  waiting: [WARNING, "was left as it is", "stays as it is"],
};

/** `what` names the command that is undone. */
export function undoneLines(undone: readonly Undone[], isPlanned: boolean, home: string, what = "the import"): Line[] {
  return undone.flatMap(({ path, status, reason, changed = [], overwritten, keychain = [] }) => {
    const [mark, done, planned] = UNDONE[status];
    const text = (isPlanned ? planned : done).replace("WHAT", what);
    const why = reason === undefined ? "" : `: ${reason}`;
    return [
      line(0, mark, " ", bold(shortened(path, home)), ` ${text}${why}`),
      ...changed.map((where) => line(4, `changed: ${where}`)),
      ...(overwritten === undefined ? [] : [line(4, `What was in it is kept in ${shortened(overwritten, home)}.`)]),
      ...(status === "restored" || status === "removed" ? keychain : []).map((name) =>
        line(4, `The keychain keeps ${name}. \`anygpt mcp secret remove ${name}\` removes it.`),
      ),
    ];
  });
}

export function shortened(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
