import { stat } from "node:fs/promises";
import { isJsonObject } from "../model/json.js";
import { commandLine } from "../util/command-line.js";
import { effectLine } from "../util/effect-line.js";
import { parseDotenv } from "../util/dotenv.js";
import { readRegularFile } from "../util/regular-file.js";
import { projectEnvFiles } from "./env-files.js";
import { concernsUs, type LoadParts, sectionOf } from "./load.js";
import { isOwnFolder, locateConfig } from "./locate.js";
import { namesNoServers } from "./options.js";
import { openConfig, type OpenedConfig, parseOpened } from "./read.js";

/** A file in the working folder that is used only if the user trusts it. */
export interface ProjectFile {
  readonly kind: "configuration" | "variables";
  readonly file: string;
  /** The content to trust, as it was just read. */
  readonly content: Uint8Array;
  /** The effects of the file, one line each, shown to the user who decides about trust. */
  readonly effects: readonly string[];
}

/** Reads the configuration files of the project. Neither runs nor validates them. */
export async function findProjectConfigs(parts: LoadParts): Promise<ProjectFile[]> {
  const locations = await locateConfig(parts);
  const files = locations.flatMap((location) => (location.origin === "project" ? location.files : []));
  const found = await Promise.all(files.map((file) => openConfig(file)));
  const opened = found.filter((opening) => opening.kind === "opened");
  const ours = await Promise.all(opened.map(async (one) => ((await concernsUs(one)) ? [one] : [])));
  // A trusted configuration uses these files too.
  const variables = ours.flat().length === 0 ? [] : await findProjectVariables(parts);
  const taken = variables.map(({ file, effects }) =>
    [`uses ${commandLine([file])}, now and after it changes`, ...effects].join("; it "),
  );
  return await Promise.all(
    ours.flat().map(async (one): Promise<ProjectFile> => {
      const { file, content } = one;
      return { kind: "configuration", file, content, effects: [...(await effectsOf(one)), ...taken] };
    }),
  );
}

/** The `.env` files of the project; none if the working folder is the home folder. */
export async function findProjectVariables(parts: LoadParts): Promise<ProjectFile[]> {
  if (isOwnFolder(parts)) return [];
  const found = await Promise.all(
    projectEnvFiles(parts.cwd).map(async (file): Promise<ProjectFile[]> => {
      const content = await readRegular(file).catch(() => undefined);
      if (content === undefined) return [];
      const names = [...parseDotenv(Buffer.from(content).toString("utf8")).values.keys()];
      const effects = names.length === 0 ? [] : [`sets ${names.join(", ")}`];
      return [{ kind: "variables", file, content, effects }];
    }),
  );
  return found.flat();
}

async function readRegular(file: string): Promise<Uint8Array | undefined> {
  return (await stat(file)).isFile() ? await readRegularFile(file) : undefined;
}

async function effectsOf(opened: OpenedConfig): Promise<string[]> {
  if (opened.format === "program") {
    const imported = [...opened.files.keys()].filter((file) => file !== opened.file);
    const imports = imported.map((file) => `imports ${file}`);
    return ["is a program that runs each time the configuration is read", ...imports];
  }
  const read = await parseOpened(opened, 0);
  if (read.kind === "problems") return ["is not valid and cannot be read"];
  const { value } = sectionOf(read.document.value) ?? read.document;
  const { servers, mcpServers = servers, sources, store, upstreams } = isJsonObject(value) ? value : {};
  const inherited = isJsonObject(upstreams) ? textList(upstreams["inheritEnv"]) : [];
  const usesAll = sources === "all" || namesNoServers(value);
  return [
    ...serversIn(mcpServers).map(describeEntry),
    ...(usesAll ? ["imports servers from every MCP client on this machine"] : []),
    ...(Array.isArray(sources) ? sources.filter(isJsonObject).map(describeSource) : []),
    ...(inherited.length === 0
      ? []
      : [`passes variables of your environment to every program that it starts: ${commandLine(inherited)}`]),
    ...(typeof store === "string" ? [`writes to ${commandLine([store])}`] : []),
  ];
}

function serversIn(servers: unknown): [name: string, entry: Record<string, unknown>][] {
  const entries: [string, unknown][] = Array.isArray(servers)
    ? servers.map((entry) => [isJsonObject(entry) ? String(entry["name"]) : "?", entry])
    : Object.entries(isJsonObject(servers) ? servers : {});
  return entries.flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry]] : []));
}

function describeEntry([name, entry]: [string, Record<string, unknown>]): string {
  const connection = isJsonObject(entry["connection"]) ? entry["connection"] : entry;
  const { command, args, url, env, headers, envFile, cwd, inheritEnv } = connection;
  return effectLine({
    name,
    command: textOf(command),
    args: textList(args),
    url: textOf(url),
    env: textsOf(env),
    headers: textsOf(headers),
    envFile: textOf(envFile),
    cwd: textOf(cwd),
    inheritEnv: textList(inheritEnv),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function textsOf(map: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(isJsonObject(map) ? map : {}).map(([key, value]) => [key, String(value)]));
}

function describeSource({ type, path }: Record<string, unknown>): string {
  return `imports servers from ${typeof type === "string" ? type : "?"}${typeof path === "string" ? ` (${path})` : ""}`;
}
