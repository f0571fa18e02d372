import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { toText } from "../util/document/text.js";

export interface EnvFileParts {
  readonly cwd: string;
  readonly home: string;
}

export interface EnvFiles {
  get(name: string): string | undefined;
  notices(): readonly string[];
}

const LARGEST_BYTES = 1024 * 1024;

/** The chain of `.env` files, the later ones stronger; each is read when first needed and again when it changed. */
export function createEnvFiles({ cwd, home }: EnvFileParts): EnvFiles {
  const files = [join(home, ".ai", ".env"), join(cwd, ".ai", ".env"), join(cwd, ".env"), join(cwd, ".env.local")].map(
    createEnvFile,
  );

  return {
    get: (name) => files.reduce<string | undefined>((value, file) => file().values.get(name) ?? value, undefined),
    notices: () => files.flatMap((file) => file().notices),
  };
}

interface EnvContent {
  readonly values: ReadonlyMap<string, string>;
  readonly notices: readonly string[];
}

const NOTHING: EnvContent = { values: new Map(), notices: [] };

function createEnvFile(file: string): () => EnvContent {
  let stamp = "";
  let content = NOTHING;
  return () => {
    const now = stampOf(file);
    if (now !== stamp) {
      content = now === "" ? NOTHING : readEnvFile(file);
      stamp = now;
    }
    return content;
  };
}

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats?.isFile() === true ? `${stats.mtimeNs}:${stats.size}:${stats.ino}` : "";
}

function readEnvFile(file: string): EnvContent {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > LARGEST_BYTES) return refused(file, "is larger than 1 MiB");
    const text = toText(bytes);
    return text.kind === "text" ? parseEnvFile(text.text, file) : refused(file, "is not UTF-8 text");
  } catch {
    return NOTHING;
  }
}

function refused(file: string, reason: string): EnvContent {
  return { values: new Map(), notices: [`${file} ${reason} and was ignored.`] };
}

const ASSIGNMENT =
  /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*("(?:[^"\\]|\\[^])*"|'[^']*'|`[^`]*`|)[^\n]*(?:\n|$)/y;
const BLANK = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const ANYTHING = /[^\n]*(?:\n|$)/y;

/** The assignments of a `.env` file. A line that is none, and a name set twice, are told; the last value stands. */
export function parseEnvFile(text: string, file: string): EnvContent {
  const source = text.replace(/\r\n?/g, "\n");
  const values = new Map<string, string>();
  const notices: string[] = [];
  for (let at = 0, line = 1; at < source.length; ) {
    const assignment = matchAt(ASSIGNMENT, source, at);
    const piece = (assignment ?? matchAt(BLANK, source, at) ?? matchAt(ANYTHING, source, at))?.[0] ?? "";
    const name = assignment?.[1];
    if (name !== undefined) {
      if (values.has(name)) notices.push(`${file}:${line} sets ${name} again; the last value stands.`);
      // One assignment at a time: Node's parser joins a line that is none with the next one.
      values.set(name, parseEnv(piece)[name] ?? "");
    } else if (matchAt(BLANK, source, at) === null) {
      notices.push(`${file}:${line} is not an assignment and was ignored.`);
    }
    at += Math.max(1, piece.length);
    line += piece.split("\n").length - 1;
  }
  return { values, notices };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
