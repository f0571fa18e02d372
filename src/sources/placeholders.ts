import type { VariableNeed } from "../model/server.js";
import type { NeededVariable, VariableInput } from "./imported.js";
import { pathsOf, type System } from "./system.js";

/**
 * The placeholder syntax of a program. `${NAME}` and `${NAME:-default}` always become variables, even if the program
 * would pass them on literally. `none`: no other placeholders. `prefixed`: also `${env:X}` and other prefixes, and
 * editor names such as `${workspaceFolder}`. Each other value adds spellings that only some programs use.
 */
export type PlaceholderSyntax = "none" | "prefixed" | "code" | "gemini" | "opencode" | "continue";

export interface PlaceholderContext {
  readonly dialect: PlaceholderSyntax;
  readonly system: System;
  /** The value of `${workspaceFolder}`. */
  readonly workspace: string;
  readonly inputs: ReadonlyMap<string, InputDefinition>;
}

export interface InputDefinition extends VariableInput {
  readonly fallback?: string;
}

/** Converts the strings of one entry to the syntax of this gateway and collects the variables that they need. */
export interface Placeholders {
  /** Converts one string. `isShell`: the string is a shell script, which may define variables. */
  readonly translate: (text: string, isShell?: boolean) => string;
  readonly variables: () => readonly NeededVariable[];
  readonly notes: () => readonly string[];
  /** Returns a description of each needed variable, shown if the variable is not set. */
  readonly needs: () => readonly VariableNeed[];
}

const MAX_DEPTH = 6;

export function createPlaceholders(context: PlaceholderContext): Placeholders {
  const variables = new Map<string, NeededVariable>();
  const notes = new Set<string>();
  const needs = new Map<string, VariableNeed>();

  function need(name: string, hasDefault: boolean, prompt?: VariableInput): void {
    const input = prompt ?? context.inputs.get(name);
    const known = variables.get(name);
    if (known !== undefined && !(known.hasDefault && !hasDefault)) return;
    variables.set(name, { name, hasDefault, ...(input === undefined ? {} : { input }) });
  }

  function variable(name: string, fallback?: string, input?: VariableInput): string {
    need(name, fallback !== undefined, input);
    return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`;
  }

  /** A placeholder whose value only the other program knows becomes an environment variable that the user can set. */
  function replacementVariable(written: string, body: string, input?: VariableInput): string {
    const name = toVariableName(body);
    notes.add(`The environment variable ${name} replaces ${written}.`);
    return variable(name, undefined, input);
  }

  /**
   * A secret reference in another program's file is not resolved: the author of that file must not read the user's
   * secrets.
   */
  function fromReference(written: string, body: string): string {
    const name = toVariableName(body);
    const what = body.startsWith("keychain:") ? "the keychain" : "secrets";
    const reason = `references to ${what} are only resolved in your own configuration`;
    notes.add(`${written} was not resolved: ${reason}. Set the environment variable ${name} instead.`);
    needs.set(name, { name, description: `replaces ${written}: ${reason}` });
    return variable(name);
  }

  /**
   * Converts a variable in a shell script. The script may set the variable itself, so the text is passed unchanged
   * unless the variable is set in the environment.
   */
  function fromShell(name: string, written: string): string {
    needs.set(name, { name, description: `passed to the shell as ${written} if it is not set` });
    return variable(name, escapeText(written));
  }

  function fromInput(id: string): string {
    const input = context.inputs.get(id);
    const name = toVariableName(`input_${id}`);
    const { fallback, ...prompt } = input ?? { id, isPassword: false };
    notes.add(`The environment variable ${name} replaces the input "${id}"${prompt.isPassword ? ", a password" : ""}.`);
    return variable(name, fallback !== undefined && !/[${}]/.test(fallback) ? fallback : undefined, prompt);
  }

  function fromBody(body: string, depth: number): string {
    const written = `\${${body}}`;
    const known = knownValue(body, context);
    if (known !== undefined) return escapeText(known);
    const [, name, fallback] = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/.exec(body) ?? [];
    if (name !== undefined) return fallback === undefined ? variable(name) : withDefault(name, fallback, depth);
    const [, secret] = /^\{\s*(?:secrets|inputs)\.([^}\s]+)\s*\}$/.exec(body) ?? [];
    if (secret !== undefined) return namedVariable(secret);
    if (isReference(body, context.dialect)) return fromReference(written, body);
    const input = /^input:(.+)$/.exec(body)?.[1];
    if (input !== undefined) return fromInput(input);
    return replacementVariable(written, body.replace(/^env:/, ""));
  }

  function withDefault(name: string, fallback: string, depth: number): string {
    // In the gateway's syntax a default value ends at the first closing brace that does not belong to a variable.
    if (depth < MAX_DEPTH && !/(?<!\$)\{/.test(fallback)) return variable(name, expand(fallback, depth + 1));
    notes.add(`The default of ${name} contains braces and was not imported.`);
    return variable(name);
  }

  function namedVariable(secret: string): string {
    const name = toVariableName(secret.split("/").at(-1) ?? secret, { keepCase: true });
    return variable(name);
  }

  function expand(text: string, depth = 0, isShell = false): string {
    let result = "";
    for (let at = 0; at < text.length; ) {
      const found = placeholderAt(text, at, context.dialect);
      if (found === undefined) {
        result += text.startsWith("${", at) ? "$${" : text[at];
        at += text.startsWith("${", at) ? 2 : 1;
        continue;
      }
      const shellName = isShell ? shellVariable(found, context.dialect) : undefined;
      if (shellName !== undefined) result += fromShell(shellName, text.slice(at, found.end));
      else result += found.kind === "file" ? fromFile(found.body) : fromBody(found.body, depth);
      at = found.end;
    }
    return result;
  }

  function fromFile(path: string): string {
    return replacementVariable(`{file:${path}}`, `file_${pathsOf(context.system).basename(path)}`);
  }

  return {
    translate: (text, isShell) => expand(text, 0, isShell),
    variables: () => [...variables.values()],
    notes: () => [...notes],
    needs: () => [...needs.values()],
  };
}

/** Escapes the text, so that nothing in it is treated as a variable. */
export function escapeText(text: string): string {
  return text.replaceAll("${", () => "$${");
}

interface Placeholder {
  readonly kind: "value" | "file";
  readonly body: string;
  readonly end: number;
}

function placeholderAt(text: string, at: number, dialect: PlaceholderSyntax): Placeholder | undefined {
  if (text.startsWith("${", at)) {
    const close = closingBrace(text, at + 2);
    if (close === undefined) return undefined;
    const body = text.slice(at + 2, close);
    if (!isReplaced(body, dialect)) return undefined;
    const file = /^file:(.+)$/.exec(body)?.[1];
    return file === undefined ? { kind: "value", body, end: close + 1 } : { kind: "file", body: file, end: close + 1 };
  }
  if (dialect === "gemini") return shortForm(text, at);
  if (dialect !== "opencode" || text[at] !== "{") return undefined;
  BRACED.lastIndex = at;
  const [whole = "", kind, body] = BRACED.exec(text) ?? [];
  if (body === undefined) return undefined;
  return { kind: kind === "file" ? "file" : "value", body, end: at + whole.length };
}

function isReplaced(body: string, dialect: PlaceholderSyntax): boolean {
  if ((dialect !== "none" && dialect !== "prefixed") || isReference(body, dialect)) return true;
  if (dialect === "prefixed" && (PREFIXED.test(body) || EDITOR_NAME.test(body))) return true;
  return VARIABLE.test(body) && !EDITOR_NAME.test(body);
}

/** Whether a placeholder is a secret reference. In editor files `${command:…}` is an editor command instead. */
function isReference(body: string, dialect: PlaceholderSyntax): boolean {
  const isEditor = dialect === "prefixed" || dialect === "code";
  return /^(?:keychain:|op:\/\/|vault:)./.test(body) || (!isEditor && /^command:./.test(body));
}

/** The syntaxes of programs that pass `${NAME}` on literally, always or if NAME is not set. */
const PASSES_LITERALLY: ReadonlySet<PlaceholderSyntax> = new Set(["none", "prefixed", "gemini"]);

function shellVariable({ kind, body }: Placeholder, dialect: PlaceholderSyntax): string | undefined {
  const isPlain = kind === "value" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(body) && !EDITOR_NAME.test(body);
  return isPlain && PASSES_LITERALLY.has(dialect) ? body : undefined;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*(?::-[^]*)?$/;
const EDITOR_NAME = /^(?:workspaceFolder(?::.*|Basename)?|workspaceRoot(?:FolderName)?|cwd|userHome|pathSeparator|\/)$/;
const PREFIXED = /^(?:env|input|file|config|command):./;
const BRACED = /\{(env|file):([^{}]+)\}/y;
const SHORT = /\$([A-Za-z_][A-Za-z0-9_]*)/y;

function shortForm(text: string, at: number): Placeholder | undefined {
  SHORT.lastIndex = at;
  const [whole = "", body] = SHORT.exec(text) ?? [];
  return body === undefined ? undefined : { kind: "value", body, end: at + whole.length };
}

const MAX_BODY_LENGTH = 1_024;

function closingBrace(text: string, from: number): number | undefined {
  let depth = 1;
  const end = Math.min(text.length, from + MAX_BODY_LENGTH);
  for (let at = from; at < end; at += 1) {
    if (text[at] === "{") depth += 1;
    else if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** Returns the value of a placeholder that VS Code and its forks replace with a path. */
function knownValue(body: string, { system, workspace }: PlaceholderContext): string | undefined {
  const { basename, sep } = pathsOf(system);
  if (body === "workspaceFolder" || body === "workspaceRoot" || body === "cwd") return workspace;
  if (body.startsWith("workspaceFolder:")) return workspace;
  if (body === "workspaceFolderBasename" || body === "workspaceRootFolderName") return basename(workspace);
  if (body === "userHome") return system.home;
  if (body === "pathSeparator" || body === "/") return sep;
  return undefined;
}

function toVariableName(text: string, { keepCase = false } = {}): string {
  const name = text.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+(?=[A-Za-z])|_+$/g, "");
  const cased = keepCase ? name : name.toUpperCase();
  return /^[A-Za-z_]/.test(cased) ? cased.slice(0, 64) : `_${cased}`.slice(0, 64);
}
