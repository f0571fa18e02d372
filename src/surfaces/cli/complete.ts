import { basename } from "node:path";
import { isGroup, type CommandGroup, type CommandSpec, type OptionSpec } from "./command.js";
import { createContext } from "./context.js";
import type { CliIo } from "./io.js";
import { optionsOf } from "./program.js";
import { openCatalog, withEngine } from "./session.js";
import { ANYGPT, COMMON_OPTIONS } from "./table.js";

/** What may stand in the place of the last word, given the words before it. Starts no server; never fails. */
export async function complete(words: readonly string[], io: CliIo): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const place = locate(words.slice(0, -1));
  const candidates = await candidatesFor(place, typed, io).catch(() => []);
  return [...new Set(candidates)].filter((word) => word.startsWith(typed) && SAFE.test(word)).sort();
}

/** What a shell inserts unquoted must not mean anything to it. */
const SAFE = /^[\w@%+=:,./-]+$/;

interface Place {
  readonly entry: CommandSpec | CommandGroup;
  readonly operands: readonly string[];
  /** The option whose value is being typed. */
  readonly option: OptionSpec | undefined;
  readonly config: string | undefined;
}

function locate(words: readonly string[]): Place {
  let entry: CommandSpec | CommandGroup = ANYGPT;
  let option: OptionSpec | undefined;
  let config: string | undefined;
  const operands: string[] = [];
  // Bash gives `--server=github` and `github:create_issue` as three words.
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

async function candidatesFor({ entry, operands, option, config }: Place, typed: string, io: CliIo): Promise<string[]> {
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
  // Behind the tool stand its arguments.
  return spec?.completes === "tool" && operands.length === 1 ? await toolNames(operands[0] ?? "", io, config) : [];
}

/** The commands of the one group may be typed without its name. */
function childrenOf(entry: CommandSpec | CommandGroup): readonly (CommandSpec | CommandGroup)[] {
  const children = entry.commands ?? [];
  return entry === ANYGPT ? [...children, ...children.flatMap(({ commands }) => commands ?? [])] : children;
}

function allOptions(entry: CommandSpec | CommandGroup): readonly OptionSpec[] {
  return isGroup(entry) ? (entry === ANYGPT ? [] : COMMON_OPTIONS) : optionsOf(entry);
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
    const { collected } = await engine.stages();
    return collected.servers.map(({ name }) => name);
  });
}

/** Names that the configuration itself has. */
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

/** Servers, and behind a colon their tools. */
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

/** Those that are refused too: they are what is to be signed. */
async function toolFileIds(io: CliIo, configPath: string | undefined): Promise<string[]> {
  return await withEngine(quiet(io, configPath), async (engine) => {
    const { toolFiles } = (await engine.stages()).collected;
    return [...toolFiles.files, ...toolFiles.refused].map(({ path }) => basename(path, ".yaml"));
  });
}

async function keyIds(io: CliIo): Promise<string[]> {
  const { openKeyDesk } = await import("./toolfiles/key-desk.js");
  const { keys } = await openKeyDesk(quiet(io, undefined)).keys.list();
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
