// Removes, enables and disables servers in the configuration file.
import { DiscoveryError } from "../../errors.js";
import { isDisablingEntry } from "../../sources/options.js";
import type { Change } from "../../sources/rewrite/change.js";
import { changeMembers, type ConfigView, type NamedSection, setMemberKey } from "../../sources/rewrite/edit-config.js";
import { BUILT_IN_SERVER } from "../../model/built-in.js";
import { applyEdit, type EditReport, findKnown, type Known, planChanges, type ServerDesk } from "./desk.js";

/** The result of a change of servers. */
export interface ChangeReport extends Partial<EditReport> {
  readonly changed: readonly string[];
  /** Names of servers that already were in the requested state. */
  readonly unchanged: readonly string[];
}

/** The names of servers that are in an MCP client's file: the gateway can disable them, but not remove them. */
export function findForeign(names: readonly string[], desk: ServerDesk): readonly string[] {
  return distinct(names.map((name) => findKnown(name, desk))).flatMap((one) => (one.kind === "own" ? [] : [one.name]));
}

/** Removes servers from a section of the configuration, all of them or none. */
export async function removeServers(
  names: readonly string[],
  desk: ServerDesk,
  section: NamedSection = "servers",
): Promise<ChangeReport> {
  const known = distinct(names.map((name) => findKnown(name, desk)));
  const foreign = known.filter((one) => one.kind !== "own");
  if (foreign.length > 0) {
    const which = foreign.map(({ name, where }) => `"${name}" comes from ${where}`).join("; ");
    const all = foreign.map(({ name }) => name).join(" ");
    throw new DiscoveryError(
      "INVALID_REQUEST",
      `${which}, not from your configuration, so it cannot be removed here.`,
      {
        hint: [
          { action: "run-command", command: `anygpt mcp disable ${all}`, purpose: "disable it in the gateway" },
          "Or remove it from that file.",
        ],
      },
    );
  }
  const own = known.filter((one) => one.kind === "own");
  for (const one of own) assertSection(one, section);
  const removed = own.map(({ name }) => name);
  const replan = async (now: ServerDesk): Promise<Uint8Array> =>
    await planChanges(now, (view) => [changeMembers(view, section, { remove: removed })]);
  const after = await replan(desk);
  const verb = section === "adapters" ? "adapter remove" : "remove";
  const report = await applyEdit(desk, { action: `${verb} ${removed.join(" ")}`, after, replan, removes: removed });
  return { ...report, changed: removed, unchanged: [] };
}

function assertSection({ name, section }: Known & { kind: "own" }, wanted: NamedSection): void {
  if (section === wanted) return;
  const [found, expected, command] =
    section === "adapters" ? ["an adapter", "a server", "adapter remove"] : ["a server", "an adapter", "remove"];
  throw new DiscoveryError("INVALID_REQUEST", `"${name}" is ${found}, not ${expected}.`, {
    hint: { action: "run-command", command: `anygpt mcp ${command} ${name}`, purpose: "remove it" },
  });
}

/**
 * Enables or disables servers of the configuration and of MCP clients' files. Servers that already are in that state do
 * not change.
 */
export async function setServersEnabled(
  names: readonly string[],
  isEnabled: boolean,
  desk: ServerDesk,
): Promise<ChangeReport> {
  for (const name of names) assertNotBuiltIn(name);
  const known = distinct(names.map((name) => findKnown(name, desk)));
  if (isEnabled) for (const one of known) assertNotDisabledByClient(one);
  const differing = known.filter((one) => isEnabledNow(one) !== isEnabled);
  const unchanged = known.filter((one) => !differing.includes(one)).map(({ name }) => name);
  const changed = differing.map(({ name }) => name);
  if (differing.length === 0) return { changed, unchanged };
  const replan = async (now: ServerDesk): Promise<Uint8Array> => {
    const again = changed.map((name) => findKnown(name, now)).filter((one) => isEnabledNow(one) !== isEnabled);
    return await planChanges(now, (view) => switchChanges(view, again, isEnabled));
  };
  const after = await replan(desk);
  const action = `${isEnabled ? "enable" : "disable"} ${changed.join(" ")}`;
  const report = await applyEdit(desk, { action, after, replan, ...(isEnabled ? {} : { removes: changed }) });
  return { ...report, changed, unchanged };
}

/** Throws for the built-in server, whose tools only the setting `toolFiles.agents.discover` can disable. */
function assertNotBuiltIn(name: string): void {
  if (name !== BUILT_IN_SERVER) return;
  throw new DiscoveryError("INVALID_REQUEST", `"${BUILT_IN_SERVER}" is the built-in server.`, {
    hint: { action: "edit-config", key: "toolFiles.agents.discover", value: "false" },
  });
}

function assertNotDisabledByClient(one: Known): void {
  if (one.kind !== "disabled-by-client") return;
  throw new DiscoveryError("INVALID_REQUEST", `"${one.name}" is disabled in ${one.where}: ${one.reason}.`, {
    hint: [
      "Enable it in that file, or add it to your own configuration.",
      { action: "run-command", command: "anygpt mcp add", purpose: "add it" },
    ],
  });
}

function isEnabledNow(one: Known): boolean {
  return one.kind === "own" ? one.isEnabled : one.kind === "found";
}

function switchChanges(view: ConfigView, servers: readonly Known[], isEnabled: boolean): Change[] {
  const own = servers.filter((one) => one.kind === "own");
  const disablingEntries = own
    .filter(({ entry }) => entry !== undefined && isDisablingEntry(entry))
    .map(({ name }) => name);
  const set = own.filter(({ name }) => !disablingEntries.includes(name));
  const found = servers.filter((one) => one.kind !== "own");
  const value = isEnabled ? undefined : false;
  const added = found.map(({ name }) => ({ name, entry: { enabled: false } }));
  return [
    ...set.flatMap(({ name, section }) => setMemberKey(view, section, { name, key: "enabled", value })),
    ...(disablingEntries.length + added.length === 0
      ? []
      : [changeMembers(view, "servers", { remove: disablingEntries, add: added })]),
  ];
}

function distinct(all: readonly Known[]): Known[] {
  return all.filter(({ name }, index) => all.findIndex((one) => one.name === name) === index);
}
