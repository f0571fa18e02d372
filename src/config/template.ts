/**
 * The result of expanding a string with `${NAME}`, `${NAME:-default}` and references to secrets such as
 * `${keychain:NAME}`; `$${` is a literal `${`.
 */
export interface Expansion {
  readonly text: string;
  readonly missing: readonly string[];
  /** The beginning of a `${` expression that is not valid. */
  readonly malformed?: string;
}

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string; readonly fallback?: readonly Piece[] }
  | { readonly kind: "reference"; readonly text: string };

type Lookup = (name: string) => string | undefined;

/** Returns the secret for a reference such as `keychain:NAME` (the text between the braces). */
export type ReadReference = (reference: string) => string;

/** Expands a template. Values are inserted literally: a `${…}` inside a value is not expanded again. */
export function expandTemplate(template: string, lookup: Lookup, read: ReadReference): Expansion {
  const parsed = parseTemplate(template);
  if (typeof parsed === "string") return { text: "", missing: [], malformed: parsed };
  const missing = new Set<string>();

  function expand(pieces: readonly Piece[]): string {
    return pieces.map(toText).join("");
  }

  function toText(piece: Piece): string {
    if (piece.kind === "text") return piece.text;
    return piece.kind === "variable" ? valueOf(piece) : read(piece.text);
  }

  function valueOf({ name, fallback }: Piece & { kind: "variable" }): string {
    const value = lookup(name);
    // As in a shell, the default also replaces an empty value.
    if (fallback !== undefined) return value || expand(fallback);
    if (value === undefined) missing.add(name);
    return value ?? "";
  }

  const text = expand(parsed);
  return { text, missing: [...missing] };
}

/** One occurrence of a variable in a text. */
export interface VariableUse {
  readonly name: string;
  readonly hasDefault: boolean;
}

/** All variables in a text, including those inside defaults. */
export function variablesOf(template: string): VariableUse[] {
  const parsed = parseTemplate(template);
  return typeof parsed === "string" ? [] : uses(parsed);
}

function uses(pieces: readonly Piece[]): VariableUse[] {
  return pieces.flatMap((piece) =>
    piece.kind === "variable"
      ? [{ name: piece.name, hasDefault: piece.fallback !== undefined }, ...uses(piece.fallback ?? [])]
      : [],
  );
}

/** All secret references in a text (each the text between the braces), including those inside defaults. */
export function referencesOf(template: string): string[] {
  const parsed = parseTemplate(template);
  return typeof parsed === "string" ? [] : referencesAmong(parsed);
}

function referencesAmong(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => {
    if (piece.kind === "reference") return [piece.text];
    return piece.kind === "variable" ? referencesAmong(piece.fallback ?? []) : [];
  });
}

const MAX_DEPTH = 8;
const HEAD = /\$\{([A-Za-z_][A-Za-z0-9_]*)(\}|:-)/y;
/** Matches a secret reference up to the first closing brace outside of quotes. */
const REFERENCE = /\$\{((?:keychain:|op:\/\/|vault:|command:)(?:"[^"]*"|'[^']*'|[^"'}])*)\}/y;

/** The parsed template. If it is not valid, a string instead: the beginning of the invalid part. */
function parseTemplate(template: string): readonly Piece[] | string {
  let at = 0;

  function parse(depth: number): readonly Piece[] | string {
    const pieces: Piece[] = [];
    const closing = depth > 0 ? "}" : undefined;
    let text = "";
    while (at < template.length && template[at] !== closing) {
      const literal = depth === 0 ? undefined : literalAt(template, at);
      if (literal !== undefined) {
        text += literal.slice(1);
        at += literal.length;
      } else if (template.startsWith("$${", at)) {
        text += "${";
        at += 3;
      } else if (template.startsWith("${", at)) {
        const piece = parseVariable(depth);
        if (typeof piece === "string") return piece;
        pieces.push({ kind: "text", text }, piece);
        text = "";
      } else {
        text += template[at];
        at += 1;
      }
    }
    return [...pieces, { kind: "text", text }];
  }

  function parseVariable(depth: number): Piece | string {
    const start = at;
    REFERENCE.lastIndex = at;
    const [whole, reference] = REFERENCE.exec(template) ?? [];
    if (whole !== undefined && reference !== undefined) {
      at += whole.length;
      return { kind: "reference", text: reference };
    }
    HEAD.lastIndex = at;
    const [head, name, ending] = HEAD.exec(template) ?? [];
    if (head === undefined || name === undefined || depth >= MAX_DEPTH) return prefixAt(template, start);
    at += head.length;
    if (ending === "}") return { kind: "variable", name };
    const fallback = parse(depth + 1);
    if (typeof fallback === "string") return fallback;
    if (template[at] !== "}") return prefixAt(template, start);
    at += 1;
    return { kind: "variable", name, fallback };
  }

  return parse(0);
}

/**
 * Matches `$${NAME}` at the end of a default. The brace of `$${NAME}` does not end the default; the brace after it
 * does.
 */
const LITERAL = /\$\$\{[A-Za-z_][A-Za-z0-9_]*\}(?=\})/y;

function literalAt(template: string, at: number): string | undefined {
  LITERAL.lastIndex = at;
  return LITERAL.exec(template)?.[0];
}

// Returns only characters that can be part of a name, because the rest may be a secret.
function prefixAt(template: string, start: number): string {
  return /^\$\{[\w:.]{0,40}/.exec(template.slice(start, start + 42))?.[0].replace(/:$/, "") ?? "${";
}
