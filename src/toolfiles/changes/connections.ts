import { commandLine } from "../../util/command-line.js";
import type { EnvNeed, FileConnection } from "../format/tool-file.js";
import { isEqual } from "./keyword-effect.js";
import { shownName, textDifference } from "./text-difference.js";

/** How a server is reached, and the variables for it. */
export interface Access {
  readonly connection: FileConnection;
  readonly needs: readonly EnvNeed[];
}

type Values = Readonly<Record<string, string>>;

/**
 * What a file says after a discovery. At the same address what a person wrote into the file stays: plain headers, a folder,
 * descriptions of variables, and the credentials unless others are given. At another address nothing stays, because
 * credentials go nowhere that they were not meant for.
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
  return isEqual(merged, written) ? written : merged;
}

/** What a person should see of a change of access. Never a value: it may be a secret. */
export function accessDifferences(before: Access, after: Access): readonly string[] {
  const [old, now] = [before.connection, after.connection];
  const [place, placeNow] = [addressOf(old), addressOf(now)];
  const [folder, folderNow] = [folderOf(old), folderOf(now)];
  const kind = old.kind === "stdio" ? "variable of the program" : "header";
  return [
    ...(place === placeNow ? [] : [`address: ${textDifference(place, placeNow)}`]),
    ...(old.kind === now.kind ? [] : [`transport: ${old.kind} → ${now.kind}`]),
    ...(folder === folderNow ? [] : [`cwd: ${textDifference(folder, folderNow)}`]),
    ...memberDifferences(kind, valuesOf(old), valuesOf(now)),
    ...memberDifferences("requirement", byName(before.needs), byName(after.needs)),
  ];
}

function memberDifferences(kind: string, before: object, after: object): string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    if (isEqual(old.get(name), now.get(name))) return [];
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

/** A person may have said more about the same variable. */
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
