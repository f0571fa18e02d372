import { basename } from "node:path";
import { isGroup, type CommandGroup, type CommandSpec, type OptionSpec } from "./command.js";
import { createContext } from "./context.js";
import type { CliIo } from "./io.js";
import { commandOptions } from "./program.js";
import { withEngine } from "./session.js";
import { openCatalog } from "../../operations/open-catalog.js";
import { ANYGPT, COMMON_OPTIONS } from "./table.js";

/** Completions for the last word, given the words before it. Starts no server and never fails. */
export async function completeWords(words: readonly string[], io: CliIo): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const position = locate(words.slice(0, -1));
  const candidates = await candidatesFor(position, typed, io).catch(() => []);
  return [...new Set(candidates)].filter((word) => word.startsWith(typed) && SAFE.test(word)).sort();
}

/** Shells insert completions unquoted, so these contain no character that a shell interprets. */
const SAFE = /^[\w@%+=:,./-]+$/;

interface CursorPosition {
  readonly entry: CommandSpec | CommandGroup;
  readonly operands: readonly string[];
  /** The option whose value is being typed. */
  readonly option: OptionSpec | undefined;
  readonly config: string | undefined;
}

function locate(words: readonly string[]): CursorPosition {
  let entry: CommandSpec | CommandGroup = ANYGPT;
  let option: OptionSpec | undefined;
  let config: string | undefined;
  const operands: string[] = [];
  // Bash splits `--server=github` and `github:create_issue` into three words each.
  for (const word of words.filter((word) => word !== "=" && word !== ":")) {
    if (option !== undefined) {
      if (nameOf(option) === "--config") config = word;
      option = undefined;
    } else if (word.startsWith("-")) {
      option = allOptions(entry).find((one) => namesOf(one).includes(word) && takesValue(one));
    } else {
      const children: readonly (CommandSpec | CommandGroup)[] = operands.length > 0 ? [] : childrenOf(entry);
      const child = children.find(({ name }) => name === word);
      if (child !== undefined) entry = child;
      else if (word !== "help" || !isGroup(entry)) operands.push(word);
    }
  }
  return { entry, operands, option, config };
}

async function candidatesFor(
  { entry, operands, option, config }: CursorPosition,
  typed: string,
  io: CliIo,
): Promise<string[]> {
  if (option?.completes === "client") return await clientNames();
  if (Array.isArray(option?.completes)) return [...option.completes];
  if (option?.completes === "key") return await keyIds(io);
  if (option !== undefined) return option.completes === "server" ? await serverNames(io, config) : [];
  if (typed.startsWith("-")) return [...allOptions(entry).map(nameOf), "--help"];
  if (isGroup(entry)) return operands.length > 0 ? [] : childrenOf(entry).map(({ name }) => name);
  const specs = entry.arguments ?? [];
  const last = specs.at(-1);
  const spec = specs[operands.length] ?? (last?.syntax.includes("...") ? last : undefined);
  if (Array.isArray(spec?.completes)) return [...spec.completes];
  if (spec?.completes === "approval") return await waitingIds(io, config);
  if (spec?.completes === "tool-file") return await toolFileIds(io, config);
  if (spec?.completes === "key") return await keyIds(io);
  if (spec?.completes === "own-server") return await configNames(io, config, "servers", () => true);
  if (spec?.completes === "disabled-server") return await configNames(io, config, "servers", (enabled) => !enabled);
  if (spec?.completes === "adapter") return await configNames(io, config, "adapters", () => true);
  if (spec?.completes === "target") return await targets(typed, io, config);
  if (spec?.completes === "server") {
    const children = operands.length > 0 ? [] : (entry.commands ?? []);
    return [...children.map(({ name }) => name), ...(await serverNames(io, config))];
  }
  // The words after the tool are its arguments, which are not completed.
  return spec?.completes === "tool" && operands.length === 1 ? await toolNames(operands[0] ?? "", io, config) : [];
}

/** The commands of `anygpt mcp` can be typed without `mcp`. */
function childrenOf(entry: CommandSpec | CommandGroup): readonly (CommandSpec | CommandGroup)[] {
  const children = entry.commands ?? [];
  return entry === ANYGPT ? [...children, ...children.flatMap(({ commands }) => commands ?? [])] : children;
}

function allOptions(entry: CommandSpec | CommandGroup): readonly OptionSpec[] {
  return isGroup(entry) ? (entry === ANYGPT ? [] : COMMON_OPTIONS) : commandOptions(entry);
}

/** `-o, --output <file>` is `-o` and `--output`. */
function namesOf({ flags }: OptionSpec): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith("-"));
}

function nameOf(option: OptionSpec): string {
  return namesOf(option).at(-1) ?? option.flags;
}

function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes("<");
}

async function clientNames(): Promise<string[]> {
  return [...(await import("../../sources/options.js")).CLIENT_IDS, "all"];
}

async function serverNames(io: CliIo, configPath: string | undefined): Promise<string[]> {
  return await withEngine(quiet(io, configPath), async (engine) => {
    const { configuredServers } = await engine.stages();
    return configuredServers.servers.map(({ name }) => name);
  });
}

/** Names in the configuration itself, without those from its sources. */
async function configNames(
  io: CliIo,
  configPath: string | undefined,
  section: "servers" | "adapters",
  isWanted: (enabled: boolean) => boolean,
): Promise<string[]> {
  return await withEngine(quiet(io, configPath), async (engine) => {
    const { config } = await engine.stages();
    return config[section].filter(({ enabled }) => isWanted(enabled)).map(({ name }) => name);
  });
}

/** Server names; after a colon, `SERVER:TOOL` for the tools of that server. */
async function targets(typed: string, io: CliIo, config: string | undefined): Promise<string[]> {
  const end = typed.lastIndexOf(":");
  if (end === -1) return await serverNames(io, config);
  const server = typed.slice(0, end);
  return (await toolNames(server, io, config)).map((tool) => `${server}:${tool}`);
}

async function toolNames(server: string, io: CliIo, configPath: string | undefined): Promise<string[]> {
  return await withEngine(quiet(io, configPath), async (engine) => {
    const { snapshot } = await openCatalog(engine);
    return (
      snapshot()
        .servers.get(server)
        ?.tools.filter(({ enabled }) => enabled)
        .map(({ name }) => name) ?? []
    );
  });
}

/** Includes rejected files, because `sign` is a way to fix them. */
async function toolFileIds(io: CliIo, configPath: string | undefined): Promise<string[]> {
  return await withEngine(quiet(io, configPath), async (engine) => {
    const { toolFiles } = (await engine.stages()).configuredServers;
    return [...toolFiles.files, ...toolFiles.refused].map(({ path }) => basename(path, ".yaml"));
  });
}

async function keyIds(io: CliIo): Promise<string[]> {
  const { openSigningKeys } = await import("../../operations/toolfiles/keys.js");
  const { keys } = await openSigningKeys({ cwd: io.cwd, env: io.env }).keys.list();
  return keys.map(({ keyId }) => keyId);
}

async function waitingIds(io: CliIo, configPath: string | undefined): Promise<string[]> {
  return await withEngine(quiet(io, configPath), async (engine) => {
    const { confirmations } = await engine.stages();
    return (await confirmations.list()).map(({ id }) => id);
  });
}

function quiet(io: CliIo, configPath: string | undefined) {
  return createContext(io, { isJson: true, isVerbose: false, isColorless: true, configPath });
}
