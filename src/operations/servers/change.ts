// Comes in: names of servers; goes out: the configuration without them, or with them switched on or off.
import { DiscoveryError } from "../../errors.js";
import { isSwitch } from "../../sources/options.js";
import type { Change } from "../../sources/rewrite/change.js";
import { changeMembers, type ConfigView, type NamedSection, setMemberKey } from "../../sources/rewrite/edit-config.js";
import { OWN_SERVER } from "../../toolfiles/own-server.js";
import { carryOut, type EditReport, findKnown, type Known, planChanges, type ServerDesk } from "./desk.js";

/** What became of the names that were given. */
export interface ChangeReport extends Partial<EditReport> {
  readonly changed: readonly string[];
  /** Those that were so already. */
  readonly unchanged: readonly string[];
}

/** Those of the names that another program's file has, and that can only be switched off here. */
export function findForeign(names: readonly string[], desk: ServerDesk): readonly string[] {
  return distinct(names.map((name) => findKnown(name, desk))).flatMap((one) => (one.kind === "own" ? [] : [one.name]));
}

/** Takes servers out of a section of the configuration, all of them or none. */
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
    throw new DiscoveryError("INVALID_REQUEST", `${which}, not from your configuration.`, {
      hint: `Run \`anygpt mcp disable ${all}\` to leave it out here, or remove it there.`,
    });
  }
  const own = known.filter((one) => one.kind === "own");
  for (const one of own) assertSection(one, section);
  const removed = own.map(({ name }) => name);
  const after = await planChanges(desk, (view) => [changeMembers(view, section, { remove: removed })]);
  const verb = section === "adapters" ? "adapter remove" : "remove";
  const report = await carryOut(desk, { action: `${verb} ${removed.join(" ")}`, after, removes: removed });
  return { ...report, changed: removed, unchanged: [] };
}

function assertSection({ name, section }: Known & { kind: "own" }, wanted: NamedSection): void {
  if (section === wanted) return;
  const [what, hint] =
    section === "adapters"
      ? ["an adapter", `Run \`anygpt mcp adapter remove ${name}\`.`]
      : ["a server", `Run \`anygpt mcp remove ${name}\`.`];
  throw new DiscoveryError("INVALID_REQUEST", `"${name}" is ${what}.`, { hint });
}

/** Switches servers on or off, wherever they come from. Those that are so already are left alone. */
export async function setServersEnabled(
  names: readonly string[],
  isEnabled: boolean,
  desk: ServerDesk,
): Promise<ChangeReport> {
  for (const name of names) assertNotOwn(name);
  const known = distinct(names.map((name) => findKnown(name, desk)));
  if (isEnabled) for (const one of known) assertNotOffThere(one);
  const wrong = known.filter((one) => isOn(one) !== isEnabled);
  const unchanged = known.filter((one) => !wrong.includes(one)).map(({ name }) => name);
  const changed = wrong.map(({ name }) => name);
  if (wrong.length === 0) return { changed, unchanged };
  const after = await planChanges(desk, (view) => switchChanges(view, wrong, isEnabled));
  const action = `${isEnabled ? "enable" : "disable"} ${changed.join(" ")}`;
  const report = await carryOut(desk, { action, after, ...(isEnabled ? {} : { removes: changed }) });
  return { ...report, changed, unchanged };
}

/** The gateway's own tools are switched off by a setting of their own. */
function assertNotOwn(name: string): void {
  if (name !== OWN_SERVER) return;
  throw new DiscoveryError("INVALID_REQUEST", `"${OWN_SERVER}" is the gateway itself.`, {
    hint: "Set `toolFiles.agents.discover` to false in the configuration to leave its own tools out.",
  });
}

function assertNotOffThere(one: Known): void {
  if (one.kind !== "off-there") return;
  throw new DiscoveryError("INVALID_REQUEST", `"${one.name}" is switched off in ${one.where}: ${one.reason}.`, {
    hint: "Switch it on there, or add it to your own configuration with `anygpt mcp add`.",
  });
}

function isOn(one: Known): boolean {
  return one.kind === "own" ? one.isEnabled : one.kind === "found";
}

function switchChanges(view: ConfigView, servers: readonly Known[], isEnabled: boolean): Change[] {
  const own = servers.filter((one) => one.kind === "own");
  const switches = own.filter(({ entry }) => entry !== undefined && isSwitch(entry)).map(({ name }) => name);
  const set = own.filter(({ name }) => !switches.includes(name));
  const found = servers.filter((one) => one.kind !== "own");
  const value = isEnabled ? undefined : false;
  const added = found.map(({ name }) => ({ name, entry: { enabled: false } }));
  return [
    ...set.flatMap(({ name, section }) => setMemberKey(view, section, { name, key: "enabled", value })),
    ...(switches.length + added.length === 0 ? [] : [changeMembers(view, "servers", { remove: switches, add: added })]),
  ];
}

function distinct(all: readonly Known[]): Known[] {
  return all.filter(({ name }, index) => all.findIndex((one) => one.name === name) === index);
}
