import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { toText } from "../util/document/text.js";
import { parseDotenv } from "./dotenv.js";

export interface EnvFileParts {
  readonly cwd: string;
  readonly home: string;
  /** Whether a file of the working folder may be used; one in the home folder always may. */
  readonly admits?: (file: string, bytes: Uint8Array) => boolean;
}

export interface EnvFiles {
  /** The value in the strongest file that sets it, and which one that is. */
  find(name: string): Found | undefined;
  /** The strongest file that would set it, were the project trusted. */
  findBarred(name: string): string | undefined;
  /** Lines that set nothing, and files that could not be read. */
  notices(): readonly string[];
  /** All files of the chain, whether they exist or not, the weakest first. */
  readonly files: readonly string[];
}

export interface Found {
  readonly value: string;
  readonly file: string;
}

const LARGEST_BYTES = 1024 * 1024;

/** The files of the chain that lie in the working folder, the weakest first. */
export function projectEnvFiles(cwd: string): string[] {
  return [join(cwd, ".ai", ".env"), join(cwd, ".env"), join(cwd, ".env.local")];
}

/** The chain of `.env` files, the later ones stronger; each is read when first needed and again when it changed. */
export function createEnvFiles({ cwd, home, admits = () => true }: EnvFileParts): EnvFiles {
  const own = join(home, ".ai", ".env");
  const files = [own, ...projectEnvFiles(cwd).filter((file) => file !== own)];
  const strongestFirst = files.map((file) => ({ file, read: createEnvFile(file, file === own) })).reverse();
  const isAdmitted = (file: string, { bytes }: EnvContent): boolean =>
    file === own || bytes === undefined || admits(file, bytes);

  function find(name: string, admitted: boolean): Found | undefined {
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
    findBarred: (name) => find(name, false)?.file,
    notices: () =>
      strongestFirst.toReversed().flatMap(({ file, read }) => (isAdmitted(file, read()) ? read().notices : [])),
  };
}

interface EnvContent {
  readonly values: ReadonlyMap<string, string>;
  readonly notices: readonly string[];
  /** What the file holds; absent when it is not there or could not be read. */
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
    const bytes = readFileSync(file);
    if (bytes.length > LARGEST_BYTES) return refused(file, "is larger than 1 MiB");
    const text = toText(bytes);
    if (text.kind !== "text") return refused(file, "is not UTF-8 text");
    const { values, faults } = parseDotenv(text.text);
    const told = faults.map(({ line, reason }) => `${file}:${line} ${reason}.`);
    return { values, notices: isOwn ? [...told, ...exposureOf(file)] : told, bytes };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    return refused(file, `could not be read (${code})`);
  }
}

const OTHERS = 0o077;

/** The person's own file is where their secrets are; those of a project lie as the project has them. */
function exposureOf(file: string): string[] {
  if (process.platform === "win32") return [];
  const { mode, uid } = statSync(file);
  return [
    ...(uid === process.getuid?.() ? [] : [`${file} belongs to another user, who can change what it sets.`]),
    ...((mode & OTHERS) === 0 ? [] : [`${file} can be read or written by other users; give it mode 600.`]),
  ];
}

function refused(file: string, reason: string): EnvContent {
  return { values: new Map(), notices: [`${file} ${reason} and was ignored.`] };
}
