import { toFirstSentence } from "./summary.js";

/** A tool as far as it can be searched. */
export interface SearchDocument {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly description: string }[];
  readonly tags: readonly string[];
  readonly serverDescription?: string;
}

interface Field {
  /** How much one occurrence of a word counts. */
  readonly weight: number;
  /** How much a longer than average text lowers that, 0 to 1. */
  readonly lengthNorm: number;
  readonly read: (document: SearchDocument) => string;
}

const MOST_PARAMETERS = 100;

export const FIELDS: readonly Field[] = [
  { weight: 2.5, lengthNorm: 0.5, read: ({ name }) => name },
  { weight: 1, lengthNorm: 0.5, read: ({ title = "" }) => title },
  { weight: 0.8, lengthNorm: 0.3, read: ({ server }) => server },
  { weight: 1, lengthNorm: 0.5, read: ({ description }) => toFirstSentence(description) },
  { weight: 0.7, lengthNorm: 0.7, read: ({ description }) => description },
  { weight: 0.3, lengthNorm: 0.5, read: ({ parameters }) => joinParameters(parameters, "name") },
  { weight: 0.3, lengthNorm: 0.7, read: ({ parameters }) => joinParameters(parameters, "description") },
  { weight: 0.8, lengthNorm: 0.3, read: ({ tags }) => tags.join(" ") },
  { weight: 0.2, lengthNorm: 0.7, read: ({ serverDescription = "" }) => serverDescription },
];

function joinParameters(parameters: SearchDocument["parameters"], key: "name" | "description"): string {
  return parameters
    .slice(0, MOST_PARAMETERS)
    .map((parameter) => parameter[key])
    .join(" ");
}
