import { toFirstSentence } from "./summary.js";

/** The searchable text of a tool. */
export interface SearchDocument {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly parameters: readonly SearchParameter[];
  readonly tags: readonly string[];
  readonly serverDescription?: string;
  /** The HTTP method in upper case, if the tool is an operation of a REST API. */
  readonly method?: string;
  /** The path template of a REST operation, such as `/repos/{owner}/issues`. */
  readonly path?: string;
  /** Whether the tool states that it changes nothing. */
  readonly isReadOnly?: boolean;
}

export interface SearchParameter {
  readonly name: string;
  readonly description: string;
  readonly isRequired?: boolean;
  /** The values that the parameter accepts, if it is an enumeration. */
  readonly values?: readonly string[];
}

export const FIELD_NAMES = [
  "name",
  "title",
  "server",
  "firstSentence",
  "description",
  "parameterNames",
  "parameterDescriptions",
  "enumValues",
  "tags",
  "serverDescription",
] as const;

/** A field of a document that the search reads. */
export type FieldName = (typeof FIELD_NAMES)[number];

const MAX_PARAMETERS = 100;
const MAX_VALUES = 30;

/** The texts of a document's fields, in the order of `FIELD_NAMES`. */
export function readFields(document: SearchDocument): readonly string[] {
  const { name, title = "", server, description, tags, serverDescription = "" } = document;
  const parameters = document.parameters.slice(0, MAX_PARAMETERS);
  const { first, rest } = splitDescription(description);
  return [
    name,
    title,
    server,
    first,
    rest,
    parameters.map((parameter) => parameter.name).join(" "),
    parameters.map((parameter) => parameter.description).join(" "),
    parameters.flatMap(({ values = [] }) => values.slice(0, MAX_VALUES)).join(" "),
    tags.join(" "),
    serverDescription,
  ];
}

const MATCH_LENGTH = 20;

/**
 * Splits a description: the first sentence says what a tool does, the rest how. The two parts have different weights,
 * so the first sentence is removed from the rest.
 */
function splitDescription(description: string): { first: string; rest: string } {
  const first = toFirstSentence(description);
  const start = description.indexOf(first.slice(0, MATCH_LENGTH));
  // The sentence is not found literally, because markup was removed from it. Assume that it starts the description; its
  // length there is only approximate.
  if (start === -1) return { first, rest: description.slice(first.length) };
  return { first, rest: `${description.slice(0, start)} ${description.slice(start + first.length)}` };
}
