import { toFirstSentence } from "./summary.js";

/** A tool as far as it can be searched. */
export interface SearchDocument {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly parameters: readonly SearchParameter[];
  readonly tags: readonly string[];
  readonly serverDescription?: string;
}

export interface SearchParameter {
  readonly name: string;
  readonly description: string;
  /** The values it takes, where they are told one by one. */
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

export type FieldName = (typeof FIELD_NAMES)[number];

const MOST_PARAMETERS = 100;
const MOST_VALUES = 30;

/** The texts of a document, field by field in the order of `FIELD_NAMES`. */
export function readFields(document: SearchDocument): readonly string[] {
  const { name, title = "", server, description, tags, serverDescription = "" } = document;
  const parameters = document.parameters.slice(0, MOST_PARAMETERS);
  const { first, rest } = splitDescription(description);
  return [
    name,
    title,
    server,
    first,
    rest,
    parameters.map((parameter) => parameter.name).join(" "),
    parameters.map((parameter) => parameter.description).join(" "),
    parameters.flatMap(({ values = [] }) => values.slice(0, MOST_VALUES)).join(" "),
    tags.join(" "),
    serverDescription,
  ];
}

const RECOGNISED_BY = 20;

/** The first sentence says what a tool does, the rest how: they weigh differently, so no word may stand in both. */
function splitDescription(description: string): { first: string; rest: string } {
  const first = toFirstSentence(description);
  const start = description.indexOf(first.slice(0, RECOGNISED_BY));
  // Markup was taken out of the sentence: how much of the description it stands for can only be told roughly.
  if (start === -1) return { first, rest: description.slice(first.length) };
  return { first, rest: `${description.slice(0, start)} ${description.slice(start + first.length)}` };
}
