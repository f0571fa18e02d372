import { distinct, openRememberingMeaning, readJudgedSets, takeAtMost, toDocument } from "./judged-sets.mjs";

export const MEASURES = ["ndcg@10", "hit@1", "recall@5"];
const HITS = 10;

/** Ranks the same queries with different constants. Vectors are cached for all variants; indexed tools are cached while the field constants are the same. */
export async function openJudge(folder, internals, most) {
  const { addDistractors, FIELD_NAMES, isInHalf, readDistractors, readFields, scoreAnswer } = internals;
  const meaning = openRememberingMeaning(internals);
  const corpus = distinct(await readDistractors([`${folder}/corpus`], process.cwd()));
  const toGroups = createGrouping(internals);
  const sets = (await readJudgedSets(folder, internals)).map(({ name, tools, queries }) => ({
    name,
    queries: takeAtMost(
      queries.filter(({ query }) => isInHalf(query, "tune")),
      most,
    ),
    places: [toGroups(tools), toGroups(addDistractors(tools, corpus))],
  }));
  const documents = new Set(sets.flatMap(({ places }) => places.flat().flatMap((group) => group.documents)));
  const used = new Set();
  for (const document of documents) {
    for (const [field, text] of readFields(document).entries()) if (text !== "") used.add(FIELD_NAMES[field]);
  }
  const readerOf = createReaders(internals, meaning);

  return {
    sets,
    /** Whether any tool has text in this field. */
    hasField: (field) => used.has(field),
    /** The measures of every query, by catalog (small, haystack) and set. */
    measure(ranking, has = { meaning: true }) {
      const { vocabulary, readGroup } = readerOf(ranking);
      return [0, 1].map((place) =>
        sets.map(({ queries, places }) => {
          const parts = { vocabulary, ranking, meaning: has.meaning ? meaning : undefined };
          const index = finish(internals.buildIndex(places[place].map(readGroup), parts));
          return queries.map(({ query, relevant }) => {
            const ids = index.weigh(query).candidates.map(({ id }) => id);
            const scores = scoreAnswer(relevant, ids.slice(0, HITS));
            return MEASURES.map((measure) => scores[measure]);
          });
        }),
      );
    },
  };
}

/** Groups tools by server. The same tools in different catalogs share one group, so that each is read once. */
function createGrouping(internals) {
  const documents = new Map();
  const groups = new Map();
  const documentOf = (tool) => {
    const key = `${tool.server}:${tool.definition.name}`;
    const known = documents.get(key) ?? [];
    documents.set(key, known);
    const same = known.find(({ definition }) => definition === tool.definition);
    if (same !== undefined) return same.document;
    const document = toDocument(tool, internals);
    known.push({ definition: tool.definition, document });
    return document;
  };
  return (tools) => {
    const byServer = new Map();
    for (const tool of tools) byServer.set(tool.server, [...(byServer.get(tool.server) ?? []), documentOf(tool)]);
    return [...byServer].map(([server, own]) => {
      const known = groups.get(server) ?? [];
      groups.set(server, known);
      const same = known.find(({ documents }) => isSameList(documents, own));
      if (same !== undefined) return same;
      const group = { documents: own };
      known.push(group);
      return group;
    });
  };
}

function isSameList(left, right) {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

/** Index blocks depend only on the field constants. Blocks of the constants that most variants share are cached. */
function createReaders({ RANKING, createBlockBuilder, createVocabulary }, meaning) {
  const create = (ranking) => {
    const vocabulary = createVocabulary();
    const build = createBlockBuilder({ vocabulary, ranking, meaning });
    const blocks = new Map();
    return {
      vocabulary,
      readGroup(group) {
        if (!blocks.has(group)) blocks.set(group, finish(build(group.documents)));
        return blocks.get(group);
      },
    };
  };
  const usual = create(RANKING);
  return (ranking) => (ranking.fields === RANKING.fields ? usual : create(ranking));
}

function finish(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
