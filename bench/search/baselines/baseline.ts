import type { Tool } from "../../../src/model/tool.js";
import { isJsonObject } from "../../../src/model/json.js";

/** The fields of a tool that the baselines read. */
export interface BaselineDocument {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly tags: readonly string[];
}

export interface Ranked {
  readonly id: string;
  readonly score: number;
}

/** Returns the best ten tools for a query, best first, without the hidden ones. */
export type Rank = (query: string, hidden: ReadonlySet<string>) => readonly Ranked[];

export type CreateBaseline = (documents: readonly BaselineDocument[]) => Rank | Promise<Rank>;

export const MAX_HITS = 10;

export function toBaselineDocument({ id, server, name, definition, tags }: Tool): BaselineDocument {
  const { properties } = definition.inputSchema;
  const parameters = isJsonObject(properties) ? Object.keys(properties) : [];
  return { id, server, name, description: definition.description ?? "", parameters, tags };
}

/** Documents with equal scores stay in the order of the catalog. */
export function takeBest(
  scores: ArrayLike<number>,
  documents: readonly BaselineDocument[],
  hidden: ReadonlySet<string>,
): Ranked[] {
  const best: Ranked[] = [];
  for (const [number, { id }] of documents.entries()) {
    const score = scores[number] ?? 0;
    const worst = best.length === MAX_HITS ? (best.at(-1)?.score ?? 0) : 0;
    if (score <= worst || hidden.has(id)) continue;
    const place = best.findIndex((other) => other.score < score);
    best.splice(place === -1 ? best.length : place, 0, { id, score });
    if (best.length > MAX_HITS) best.pop();
  }
  return best;
}
