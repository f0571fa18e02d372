import { statSync } from "node:fs";
import { join } from "node:path";
import { decodeUtf8 } from "../util/document/text.js";
import { parseDotenv } from "../util/dotenv.js";
import { readRegularFileSync } from "../util/regular-file.js";

export interface EnvFileParts {
  readonly cwd: string;
  readonly home: string;
  /** Whether a `.env` file in the working folder is trusted. The user's own file `~/.ai/.env` is always used. */
  readonly admits?: (file: string, bytes: Uint8Array) => boolean;
}

export interface EnvFiles {
  /** The variable's value from the trusted file with the highest precedence that sets it, and the path of that file. */
  find(name: string): FoundVariable | undefined;
  /** The path of the untrusted file that would set the variable if it were trusted. */
  findUntrusted(name: string): string | undefined;
  /** Warnings about invalid lines, unreadable files and unsafe file permissions. */
  notices(): readonly string[];
  /** The paths of all `.env` files, whether the files exist or not, in ascending precedence. */
  readonly files: readonly string[];
}

export interface FoundVariable {
  readonly value: string;
  readonly file: string;
}

const MAX_BYTES = 1024 * 1024;

/** The paths of the `.env` files in the working folder, in ascending precedence. */
export function projectEnvFiles(cwd: string): string[] {
  return [join(cwd, ".ai", ".env"), join(cwd, ".env"), join(cwd, ".env.local")];
}

/** Looks up variables in the `.env` files. Reads each file on first use and again when it changes. */
export function createEnvFiles({ cwd, home, admits = () => true }: EnvFileParts): EnvFiles {
  const own = join(home, ".ai", ".env");
  const files = [own, ...projectEnvFiles(cwd).filter((file) => file !== own)];
  const strongestFirst = files.map((file) => ({ file, read: createEnvFile(file, file === own) })).reverse();
  const isAdmitted = (file: string, { bytes }: EnvContent): boolean =>
    file === own || bytes === undefined || admits(file, bytes);

  function find(name: string, admitted: boolean): FoundVariable | undefined {
    for (const { file, read } of strongestFirst) {
      const content = read();
      const value = content.values.get(name);
      if (value !== undefined && isAdmitted(file, content) === admitted) return { value, file };
    }
    return undefined;
  }

  return {
    files,
    find: (name) => find(name, true),
    findUntrusted: (name) => find(name, false)?.file,
    notices: () =>
      strongestFirst.toReversed().flatMap(({ file, read }) => (isAdmitted(file, read()) ? read().notices : [])),
  };
}

interface EnvContent {
  readonly values: ReadonlyMap<string, string>;
  readonly notices: readonly string[];
  /** The content of the file; undefined if it does not exist or cannot be read. */
  readonly bytes?: Uint8Array;
}

const NOTHING: EnvContent = { values: new Map(), notices: [] };

function createEnvFile(file: string, isOwn: boolean): () => EnvContent {
  let stamp = "";
  let content = NOTHING;
  return () => {
    const now = stampOf(file);
    if (now !== stamp) {
      content = now === "" ? NOTHING : readEnvFile(file, isOwn);
      stamp = now;
    }
    return content;
  };
}

function stampOf(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
    return stats?.isFile() === true ? `${stats.mtimeNs}:${stats.ctimeNs}:${stats.size}:${stats.dev}:${stats.ino}` : "";
  } catch {
    return "";
  }
}

function readEnvFile(file: string, isOwn: boolean): EnvContent {
  try {
    const bytes = readRegularFileSync(file);
    if (bytes.length > MAX_BYTES) return refused(file, "is larger than 1 MiB");
    const text = decodeUtf8(bytes);
    if (text.kind !== "text") return refused(file, "is not UTF-8 text");
    const { values, faults } = parseDotenv(text.text);
    const found = faults.map(({ line, reason }) => `${file}:${line} ${reason}.`);
    return { values, notices: isOwn ? [...found, ...exposureOf(file)] : found, bytes };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    return refused(file, `could not be read (${code})`);
  }
}

const GROUP_AND_OTHERS = 0o077;

/** Warns about unsafe permissions of `~/.ai/.env`, which contains secrets. Files of a project are not checked. */
function exposureOf(file: string): string[] {
  if (process.platform === "win32") return [];
  const { mode, uid } = statSync(file);
  return [
    ...(uid === process.getuid?.() ? [] : [`${file} belongs to another user, who can change its variables.`]),
    ...((mode & GROUP_AND_OTHERS) === 0
      ? []
      : [`${file} can be read or written by other users; run \`chmod 600\` on it.`]),
  ];
}

function refused(file: string, reason: string): EnvContent {
  return { values: new Map(), notices: [`${file} ${reason} and was ignored.`] };
}
