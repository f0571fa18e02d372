import { countReferences, followReference } from "./schema-reference.js";
import { type TypePiece, word } from "./type-piece.js";

/**
 * Whether the type expression written so far expresses every constraint of its schema, and whether a description in it
 * was cut.
 */
export interface Faults {
  isWhole: boolean;
  isCut: boolean;
}

export interface NamedTypes {
  /**
   * Returns the type that a reference stands for if it is short or used once, otherwise its name; undefined if the
   * reference is invalid.
   */
  use(reference: string): TypePiece | undefined;
  types(): Record<string, string>;
  /** Whether the type expressions of all named types express every constraint of their schemas. */
  areWhole(): boolean;
}

interface Definition extends Faults {
  readonly name: string;
  piece?: TypePiece;
  isNamed: boolean;
}

const MAX_PARTS = 50_000;
const RESERVED_NAMES = [
  "string",
  "number",
  "integer",
  "boolean",
  "null",
  "array",
  "object",
  "any",
  "never",
  "oneOf",
  "key",
];

export interface NamedTypesParts {
  readonly root: unknown;
  readonly faults: Faults;
  readonly write: (schema: unknown) => TypePiece;
  /** A type with at most this many characters is written out at each use instead of getting a name. */
  readonly maxUnnamedLength: number;
}

/**
 * Writes each definition of a schema once. A definition gets a name if it is long and used more than once, or if it
 * contains itself.
 */
export function createNamedTypes({ root, faults, write, maxUnnamedLength }: NamedTypesParts): NamedTypes {
  const definitions = new Map<string, Definition>();
  const names = new Set(RESERVED_NAMES);
  let counts: ReadonlyMap<string, number> | undefined;

  function define(reference: string, schema: unknown): Definition {
    const definition: Definition = { name: nameFor(reference), isNamed: false, isWhole: true, isCut: false };
    definitions.set(reference, definition);
    const before = { ...faults };
    Object.assign(faults, { isWhole: true, isCut: false });
    definition.piece = write(schema);
    Object.assign(definition, faults);
    Object.assign(faults, before);
    counts ??= countReferences(root, MAX_PARTS);
    if ((counts.get(reference) ?? 0) > 1 && definition.piece.text.length > maxUnnamedLength) definition.isNamed = true;
    return definition;
  }

  function nameFor(reference: string): string {
    const last = reference.slice(reference.lastIndexOf("/") + 1);
    const plain = last.replace(/\W+/gu, "_").slice(0, 60);
    let name = /^[a-z]/iu.test(plain) ? plain : `T${plain}`;
    while (names.has(name)) name += "_";
    names.add(name);
    return name;
  }

  return {
    use(reference) {
      const schema = followReference(reference, root);
      if (schema === undefined) return undefined;
      const known = definitions.get(reference);
      // A definition that is used while it is being written contains itself.
      if (known !== undefined && known.piece === undefined) known.isNamed = true;
      const definition = known ?? define(reference, schema);
      faults.isWhole &&= definition.isWhole;
      faults.isCut ||= definition.isCut;
      return definition.isNamed ? word(definition.name) : definition.piece;
    },
    types() {
      const named = [...definitions.values()].filter(({ isNamed }) => isNamed);
      return Object.fromEntries(named.map(({ name, piece }) => [name, piece?.text ?? ""]));
    },
    areWhole: () => [...definitions.values()].every(({ isNamed, isWhole }) => isWhole || !isNamed),
  };
}
