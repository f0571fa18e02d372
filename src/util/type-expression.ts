// Converts a JSON Schema to a short type expression.
import { isJsonObject, type JsonObject } from "../model/json.js";
import { cutAtSentence } from "./cut-at-sentence.js";
import { createNamedTypes } from "./named-types.js";
import { followReference } from "./schema-reference.js";
import { areClear, areDisjoint, isExact } from "./schema-options.js";
import { isOfType, KEYWORDS, typesOf } from "./schema-types.js";
import { toBounds } from "./type-bounds.js";
import { toComment, toLiteral, toMemberName, toLiteralPattern } from "./type-literal.js";
import { defaultOf, examplesOf, isNote, marksOf } from "./type-notes.js";
import {
  append,
  BOUNDED,
  INTERSECTION,
  intersect,
  LOOSE,
  NULL,
  type TypePiece,
  TIGHT,
  unite,
  within,
  word,
} from "./type-piece.js";

export { defaultOf, followReference };

/**
 * Converts a JSON Schema to a short type expression similar to TypeScript, with the bounds that a caller must know:
 * `string`, `'open'|'closed'`, `integer 1..100`, `{path: string, head?: number}[]`. Parts that cannot be expressed are
 * marked `…`.
 */
export function toTypeExpression(schema: unknown, root: unknown = schema): string {
  return createTypeWriter(root, { noteLength: 0, maxUnnamedLength: 200 }).write(schema).text;
}

export interface TypeText {
  readonly text: string;
  /** Whether the text and the named types contain every constraint of the schema. */
  readonly isWhole: boolean;
  /** Whether a description in the text was cut. */
  readonly isCut: boolean;
}

export interface TypeWriter {
  /** Converts a schema. The text includes the default of the schema itself, but not its description. */
  write(schema: unknown): TypeText;
  /** Returns the definitions of the type names used in all texts so far. */
  types(): Record<string, string>;
}

export interface TypeWriterOptions {
  /** The maximum number of characters of a description, which is written as a comment; 0 omits descriptions. */
  readonly noteLength: number;
  /** A definition that is used more than once gets a name if its type is longer than this, in characters. */
  readonly maxUnnamedLength?: number;
}

const MAX_PARTS = 20_000;
const MAX_DEPTH = 64;

/** JSON Schema keywords that are handled independently of the type. */
const GENERAL = new Set(["type", "const", "enum", "$ref", "anyOf", "oneOf", "allOf", "not", "nullable"]);

const VALUES = ["const", "enum", "$ref"];
const NOTHING: Surroundings = { isPart: false, types: [], isGuess: false };

export function createTypeWriter(root: unknown, options: TypeWriterOptions): TypeWriter {
  const { noteLength, maxUnnamedLength = 40 } = options;
  const faults = { isWhole: true, isCut: false };
  const write = (schema: unknown): TypePiece => mark(schema, express(schema));
  const named = createNamedTypes({ root, faults, write, maxUnnamedLength });
  let parts = 0;
  let depth = 0;
  let around = NOTHING;

  function incomplete(text = ""): TypePiece {
    faults.isWhole = false;
    return text === "" ? word("…") : { text: `${text} …`, binding: BOUNDED };
  }

  function express(schema: unknown): TypePiece {
    parts += 1;
    if (parts > MAX_PARTS || depth >= MAX_DEPTH) return incomplete();
    depth += 1;
    const piece = isJsonObject(schema) ? expressKeywords(schema) : expressNonObject(schema);
    depth -= 1;
    return piece;
  }

  function expressNonObject(schema: unknown): TypePiece {
    return typeof schema === "boolean" ? word(schema ? "any" : "never") : incomplete();
  }

  function expressKeywords(schema: JsonObject): TypePiece {
    const types = typesOf(schema) ?? [];
    const own = Object.keys(schema).filter((key) => types.some((type) => KEYWORDS[type]?.has(key) === true));
    const outer = around;
    around = surroundingsOf(schema, types, outer);
    const isInexact = isMisguessed(around, outer) || (around.isGuess && VALUES.some((key) => key in schema));
    const whole = intersect([...expressBase(schema, types, own.length), ...expressCombinations(schema)]);
    around = outer;
    const piece = schema["nullable"] === true ? unite([whole, NULL]) : whole;
    const isExpressed = Object.keys(schema).every(
      (key) => GENERAL.has(key) || isNote(key) || own.includes(key) || isEmptyObject(schema[key]),
    );
    return isExpressed && !isInexact ? piece : incomplete(within(piece, BOUNDED));
  }

  function expressBase(schema: JsonObject, types: readonly string[], bounds: number): TypePiece[] {
    const values = "const" in schema ? [schema["const"]] : schema["enum"];
    if (values === undefined) {
      const isRepeated = bounds === 0 && optionsName(schema, types);
      return types.length === 0 || isRepeated ? [] : [expressTypes(schema, types)];
    }
    const isInexact = ("const" in schema && "enum" in schema) || !Array.isArray(values) || values.some(isStructured);
    if (isInexact) return [incomplete("any")];
    const isImplied = types.length === 0 || (bounds === 0 && values.every((value) => isOfType(value, types)));
    const literals = unite(values.map((value) => word(toLiteral(value))));
    return isImplied ? [literals] : [literals, expressTypes(schema, types)];
  }

  function expressCombinations(schema: JsonObject): TypePiece[] {
    const { $ref: reference, allOf = [] } = schema;
    const facets: TypePiece[] = [];
    if (typeof reference === "string") facets.push(expressReference(reference));
    else if (reference !== undefined) facets.push(incomplete());
    if (schema["anyOf"] !== undefined) facets.push(expressOptions(schema["anyOf"], () => true));
    if (schema["oneOf"] !== undefined) {
      facets.push(expressOptions(schema["oneOf"], (options) => areDisjoint(options, root)));
    }
    if (schema["not"] !== undefined) facets.push(expressNot(schema["not"]));
    return [...facets, ...(Array.isArray(allOf) ? allOf.map(expressNoted) : [incomplete()])];
  }

  function expressReference(reference: string): TypePiece {
    const piece = inside(() => named.use(reference));
    if (piece === undefined) return incomplete();
    const target = followReference(reference, root);
    const isInexact =
      isJsonObject(target) && isMisguessed(surroundingsOf(target, typesOf(target) ?? [], NOTHING), around);
    return isInexact || (around.isPart && isClosed(target)) ? incomplete(within(piece, BOUNDED)) : piece;
  }

  /** Writes a member or definition, which does not belong to the surrounding intersection. */
  function inside<T>(write: () => T): T {
    const outer = around;
    around = NOTHING;
    const written = write();
    around = outer;
    return written;
  }

  function expressOptions(options: unknown, isPlain: (options: readonly unknown[]) => boolean): TypePiece {
    if (!Array.isArray(options) || options.length === 0) return incomplete();
    const pieces = options.map(expressNoted);
    if (options.length === 1 || isPlain(options)) return unite(pieces);
    const text = `oneOf(${pieces.map((piece) => within(piece, INTERSECTION)).join("|")})`;
    return areClear(options) ? word(text) : incomplete(text);
  }

  function expressNot(schema: unknown): TypePiece {
    if (schema === true || isEmptyObject(schema)) return word("never");
    return isExact(schema) ? word(`not(${express(schema).text})`) : incomplete("any");
  }

  function expressTypes(schema: JsonObject, types: readonly string[]): TypePiece {
    return unite(types.map((type) => expressType(schema, type)));
  }

  function expressType(schema: JsonObject, type: string): TypePiece {
    if (KEYWORDS[type] === undefined) return incomplete(type);
    const { isPart } = around;
    const text = inside(() => {
      if (type === "array") return expressArray(schema);
      return type === "object" ? expressObject(schema, isPart) : type;
    });
    const bounds = toBounds(type, schema);
    return bounds === undefined ? incomplete(text) : append(word(text), bounds, BOUNDED);
  }

  function expressArray({ items, prefixItems, additionalItems }: JsonObject): string {
    const [first, rest] = prefixItems === undefined ? [items, additionalItems] : [prefixItems, items];
    if (!Array.isArray(first)) {
      if (prefixItems !== undefined || additionalItems !== undefined) incomplete();
      return `${items === undefined ? "any" : within(expressNoted(items), TIGHT)}[]`;
    }
    if (prefixItems !== undefined && additionalItems !== undefined) incomplete();
    const texts = first.map((item) => expressNoted(item).text);
    if (rest !== undefined && rest !== false) texts.push(`...${within(expressNoted(rest), TIGHT)}[]`);
    return `[${texts.join(", ")}]`;
  }

  function expressObject(schema: JsonObject, isOneOfSeveral: boolean): string {
    const members = [...expressMembers(schema), ...expressPatterns(schema), ...expressRest(schema)];
    // The parts of an intersection combine their members, so a closed object must state that no others are allowed.
    if (isOneOfSeveral && schema["additionalProperties"] === false) members.push("[key]: never");
    if (isOneOfSeveral && schema["unevaluatedProperties"] !== undefined) incomplete();
    if (schema["patternProperties"] !== undefined && requiresUnlisted(schema)) incomplete();
    const isOpen = members.length === 0 && schema["additionalProperties"] === undefined;
    return isOpen ? "object" : `{${members.join(", ")}}`;
  }

  function expressMembers({ properties = {}, required = [], additionalProperties: rest = true }: JsonObject): string[] {
    if (!isJsonObject(properties) || !Array.isArray(required)) {
      incomplete();
      return [];
    }
    const needed = new Set(required.map(String));
    const members = Object.entries(properties).map(
      ([name, member]) => `${toMemberName(name)}${needed.delete(name) ? "" : "?"}: ${expressNoted(member).text}`,
    );
    return [...members, ...[...needed].map((name) => `${toMemberName(name)}: ${expressNoted(rest).text}`)];
  }

  function expressPatterns({ patternProperties = {} }: JsonObject): string[] {
    if (!isJsonObject(patternProperties)) return [incomplete().text];
    return Object.entries(patternProperties).map(([pattern, member]) => {
      if (toBounds("string", { pattern }) === undefined) incomplete();
      return `[${toLiteralPattern(pattern)}]: ${expressNoted(member).text}`;
    });
  }

  /**
   * Writes `[key]` for additional properties, if the schema declares them. Otherwise nothing is written: an object type
   * lists all its members.
   */
  function expressRest(schema: JsonObject): string[] {
    const { additionalProperties: rest, propertyNames: names, unevaluatedProperties: unevaluated = false } = schema;
    const isOfAnyName = names === undefined || names === true || isPlainText(names);
    if (unevaluated !== false || (rest === false && !isOfAnyName)) incomplete();
    if (rest === false || (rest === undefined && isOfAnyName)) return [];
    return [`[${isOfAnyName ? "key" : expressNoted(names).text}]: ${expressNoted(rest ?? true).text}`];
  }

  function expressNoted(schema: unknown): TypePiece {
    const piece = mark(schema, express(schema));
    return append(piece, toNote(schema), BOUNDED);
  }

  function mark(schema: unknown, piece: TypePiece): TypePiece {
    if (!isJsonObject(schema)) return piece;
    const examples = noteLength === 0 ? "" : examplesOf(schema);
    return append(piece, `${defaultOf(schema)}${examples}${marksOf(schema)}`, LOOSE);
  }

  function toNote(schema: unknown): string {
    const description = descriptionOf(schema, root);
    if (description === "") return "";
    const note = noteLength === 0 ? "…" : cutAtSentence(description, noteLength);
    if (note.endsWith("…")) faults.isCut = true;
    return noteLength === 0 || note === "" ? "" : toComment(note);
  }

  return {
    write(schema) {
      Object.assign(faults, { isWhole: true, isCut: false });
      const { text } = write(schema);
      return { text, isWhole: faults.isWhole && named.areWhole(), isCut: faults.isCut };
    },
    types: named.types,
  };
}

/** The description of a schema, otherwise that of the schema to which it refers. */
export function descriptionOf(schema: unknown, root: unknown): string {
  if (!isJsonObject(schema)) return "";
  if (typeof schema["description"] === "string") return schema["description"];
  const target = typeof schema["$ref"] === "string" ? followReference(schema["$ref"], root) : undefined;
  return isJsonObject(target) && typeof target["description"] === "string" ? target["description"] : "";
}

interface Surroundings {
  /** Whether the value must also match other schemas (an intersection). */
  readonly isPart: boolean;
  readonly types: readonly string[];
  /** Whether the types were inferred from keywords. */
  readonly isGuess: boolean;
}

function surroundingsOf(schema: JsonObject, types: readonly string[], outer: Surroundings): Surroundings {
  const { $ref, anyOf, oneOf, allOf = [] } = schema;
  const facets = [types.length > 0 || undefined, $ref, anyOf, oneOf, ...[allOf].flat()];
  const isPart = outer.isPart || facets.filter((facet) => facet !== undefined).length > 1;
  return types.length === 0 ? { ...outer, isPart } : { isPart, types, isGuess: schema["type"] === undefined };
}

function isClosed(schema: unknown): boolean {
  return isJsonObject(schema) && (schema["additionalProperties"] ?? schema["unevaluatedProperties"]) === false;
}

/** Whether an inferred type contradicts the type of another schema that must match too. */
function isMisguessed(one: Surroundings, outer: Surroundings): boolean {
  const isOfOuter = (type: string) =>
    outer.types.some((known) => known === type || `${known} ${type}` === "integer number");
  return (one.isGuess || outer.isGuess) && outer.types.length > 0 && !one.types.every(isOfOuter);
}

function requiresUnlisted({ properties = {}, required }: JsonObject): boolean {
  return (
    Array.isArray(required) && required.some((name) => !isJsonObject(properties) || !Object.hasOwn(properties, name))
  );
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function isStructured(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function isPlainText(schema: unknown): boolean {
  return isJsonObject(schema) && schema["type"] === "string" && Object.keys(schema).length === 1;
}

/** Whether all options name one of these types, so that the type next to them adds no information. */
function optionsName({ anyOf, oneOf, allOf }: JsonObject, types: readonly string[]): boolean {
  const options = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const isNamed = (option: unknown) =>
    isJsonObject(option) && [option["type"]].flat().every((one) => types.includes(String(one)));
  return options.length > 0 && options.every(isNamed);
}
