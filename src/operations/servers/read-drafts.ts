// Converts the arguments of `anygpt mcp add` to the servers to add.
import type { Placeholder } from "../../directory/draft-arguments.js";
import type { DiscoveryError } from "../../errors.js";
import { invalidRequest } from "../../util/invalid-request.js";
import type { JsonObject } from "../../model/json.js";
import type { AddRequest, PlannedAddition } from "./add.js";
import type { ServerDesk } from "./desk.js";
import { toDraft } from "./draft.js";
import { isSnippet, parseSnippet } from "./parse-snippet.js";
import { findPublicServer } from "./public-server.js";

export interface AddWords {
  readonly name: string | undefined;
  /** The server's command, its URL or its JSON. */
  readonly words: readonly string[];
  readonly env: readonly string[];
  readonly headers: readonly string[];
  readonly cwd: string | undefined;
  readonly transport: string | undefined;
  /** The name that a public server gets in the configuration (`--as`). */
  readonly as: string | undefined;
}

export interface AddPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly readInput: () => Promise<string>;
  /** Lets the user paste JSON. Undefined if there is no terminal. */
  readonly askPasted?: () => Promise<string>;
  readonly askArgument?: (name: string, placeholder: Placeholder) => Promise<string | undefined>;
  /**
   * Called with the name of a public server and the promise that looks it up, for example to show progress meanwhile.
   */
  readonly during: (name: string, work: Promise<AddRequest>) => Promise<AddRequest>;
}

export interface ServerDrafts {
  readonly drafts: readonly AddRequest[];
  /** True if the user did not type the definition: it is pasted JSON or a public server. */
  readonly isPasted: boolean;
}

export async function readDrafts(given: AddWords, desk: ServerDesk, ports: AddPorts): Promise<ServerDrafts> {
  const { name, words } = given;
  const { cwd, home } = desk.place;
  const [first] = words;
  const pasted = async (text: string, as?: string): Promise<ServerDrafts> => {
    const whole = text === "-" ? await ports.readInput() : text;
    return {
      drafts: parseSnippet(whole, as, { platform: process.platform, home, cwd, env: ports.env }),
      isPasted: true,
    };
  };
  if (name === undefined) {
    if (ports.askPasted === undefined) throw nothingGiven();
    return await pasted(await ports.askPasted());
  }
  if (first === undefined && (name === "-" || isSnippet(name))) return await pasted(name);
  if (first === undefined) return { drafts: [await publicServer(name, given, desk, ports)], isPasted: true };
  if (words.length === 1 && (first === "-" || isSnippet(first))) return await pasted(first, name);
  if (given.as !== undefined) {
    throw invalidRequest(
      "--as can only be used with a public server.",
      `The server is already named "${name}". Omit --as.`,
    );
  }
  const place = { home, cwd, startDir: desk.target.isProject ? cwd : home };
  return { drafts: [toDraft({ ...given, name }, place)], isPasted: false };
}

function nothingGiven(): DiscoveryError {
  return invalidRequest(
    "No command, URL or JSON of a server was passed.",
    "Write `anygpt mcp add NAME -- COMMAND …`, `anygpt mcp add NAME https://…`, or paste JSON.",
  );
}

async function publicServer(name: string, given: AddWords, desk: ServerDesk, ports: AddPorts): Promise<AddRequest> {
  const stray = { header: given.headers[0], cwd: given.cwd, transport: given.transport };
  for (const [option, value] of Object.entries(stray)) {
    if (value === undefined) continue;
    throw invalidRequest(
      `--${option} was passed, but no command or URL for ${name}.`,
      `Write \`anygpt mcp add ${name} -- COMMAND …\` or \`anygpt mcp add ${name} https://…\`.`,
    );
  }
  const { askArgument, signal } = ports;
  const asking =
    askArgument === undefined ? {} : { askArgument: (placeholder: Placeholder) => askArgument(name, placeholder) };
  const parts = { place: desk.place, signal, as: given.as, env: given.env, ...asking };
  return await ports.during(name, findPublicServer(name, parts));
}

/** The planned change of the file as JSON. Omits the entries of the servers, because they may contain secrets. */
export function toAdditionJson({ file, servers }: PlannedAddition): JsonObject {
  const listed = servers.map(({ name, effect, isReplacement, secrets, notes }) => ({
    name,
    effect,
    isReplacement,
    secrets: secrets.map(({ where }) => where),
    notes,
  }));
  return { file, servers: listed };
}
