import { commandLine } from "../../util/command-line.js";
import { isEqualJson } from "../../util/json/is-equal.js";
import { summarizeDifference } from "../../util/text-difference.js";
import type { EnvNeed, FileConnection } from "../format/tool-file.js";
import { shownName } from "./shown-text.js";

/** How a server is reached, and the variables that the connection needs. */
export interface Access {
  readonly connection: FileConnection;
  readonly needs: readonly EnvNeed[];
}

type Values = Readonly<Record<string, string>>;

/**
 * Merges the connection in a file with the one from a new discovery. If both have the same address, manual additions in
 * the file are preserved: plain headers, a working folder, descriptions of variables, and the credentials unless the
 * discovery has new ones. Otherwise nothing is preserved, because credentials must not be sent to another server.
 */
export function mergeAccess(written: Access, given: Access): Access {
  if (!isSameAddress(written.connection, given.connection)) return given;
  const isNew = givesCredentials(given);
  const values = valuesOf(given.connection);
  const replaced = new Set(Object.keys(values).map(toCaseless));
  const kept = Object.entries(valuesOf(written.connection)).filter(
    ([name, value]) => !replaced.has(toCaseless(name)) && !(isNew && hasVariable(value)),
  );
  const merged = {
    connection: withValues(written.connection, given.connection, { ...Object.fromEntries(kept), ...values }),
    needs: isNew ? given.needs.map((need) => knownNeed(need, written.needs)) : written.needs,
  };
  return isEqualJson(merged, written) ? written : merged;
}

/** The differences between two connections, for display. Values are never included, because they may be secret. */
export function accessDifferences(before: Access, after: Access): readonly string[] {
  const [old, now] = [before.connection, after.connection];
  const [address, addressNow] = [addressOf(old), addressOf(now)];
  const [folder, folderNow] = [folderOf(old), folderOf(now)];
  const kind = old.kind === "stdio" ? "variable of the program" : "header";
  return [
    ...(address === addressNow ? [] : [`address: ${summarizeDifference(address, addressNow)}`]),
    ...(old.kind === now.kind ? [] : [`transport: ${old.kind} → ${now.kind}`]),
    ...(folder === folderNow ? [] : [`cwd: ${summarizeDifference(folder, folderNow)}`]),
    ...memberDifferences(kind, valuesOf(old), valuesOf(now)),
    ...memberDifferences("requirement", byName(before.needs), byName(after.needs)),
  ];
}

function memberDifferences(kind: string, before: object, after: object): string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    if (isEqualJson(old.get(name), now.get(name))) return [];
    const label = `${kind} ${shownName(name)}`;
    if (!old.has(name)) return [`+ ${label}`];
    return [now.has(name) ? `${label}: changed` : `- ${label}`];
  });
}

export function isSameAddress(one: FileConnection, other: FileConnection): boolean {
  return (one.kind === "stdio") === (other.kind === "stdio") && addressOf(one) === addressOf(other);
}

function addressOf(connection: FileConnection): string {
  return connection.kind === "stdio" ? commandLine([connection.command, ...connection.args]) : connection.url;
}

function folderOf(connection: FileConnection): string | undefined {
  return connection.kind === "stdio" ? connection.cwd : undefined;
}

function valuesOf(connection: FileConnection): Values {
  return connection.kind === "stdio" ? connection.env : connection.headers;
}

function withValues(written: FileConnection, given: FileConnection, values: Values): FileConnection {
  if (given.kind !== "stdio") return { ...given, headers: values };
  const cwd = given.cwd ?? folderOf(written);
  return { ...given, env: values, ...(cwd === undefined ? {} : { cwd }) };
}

function givesCredentials({ connection, needs }: Access): boolean {
  return needs.length > 0 || Object.values(valuesOf(connection)).some(hasVariable);
}

function hasVariable(value: string): boolean {
  return value.includes("${");
}

/** Returns the same variable from the file if it has one, because the user may have improved its description there. */
function knownNeed(need: EnvNeed, written: readonly EnvNeed[]): EnvNeed {
  const known = written.find(({ name, header }) => name === need.name && header === need.header);
  return known ?? need;
}

function byName(needs: readonly EnvNeed[]): Record<string, EnvNeed> {
  return Object.fromEntries(needs.map((need) => [need.name, need]));
}

function toCaseless(name: string): string {
  return name.toLowerCase();
}
