/** A share that is too small to move anything. Nothing at all would make a word that is found count as not found. */
const NEARLY_NOTHING = 1e-9;
const VERY_MUCH = 1e9;

/** What each number is when it has no effect; those that are not here have no such value. */
const OFF = {
  // Any occurrence counts in full.
  saturation: NEARLY_NOTHING,
  otherForm: NEARLY_NOTHING,
  sameMeaning: NEARLY_NOTHING,
  concept: NEARLY_NOTHING,
  shortQuery: 0,
  halfBeyond: Infinity,
  typingError: NEARLY_NOTHING,
  stopWord: 0,
  clause: 0,
  clauseScale: VERY_MUCH,
  server: 0,
  deprecated: 1,
  meaning: 0,
  clauseMeaning: 0,
  literal: 0,
  longQuery: 0,
  // The words of a long query have their full gain at once.
  fullGainBeyond: NEARLY_NOTHING,
  longGain: 0,
  closeWhole: 0,
  closePieces: 0,
  closeName: 0,
  closeServer: 0,
  closeCovered: 0,
};
const OFF_IN_FIELD = { weight: 0, lengthNorm: 0 };

/** Every number of the ranking, with the way to it. */
export function toNumbers({ fields, ...others }) {
  const plain = Object.entries(others).map(([name, value]) => ({ name, value, path: [name], off: OFF[name] }));
  const inFields = Object.entries(fields).flatMap(([field, constants]) =>
    Object.entries(constants).map(([name, value]) => ({
      name: `fields.${field}.${name}`,
      value,
      path: ["fields", field, name],
      off: OFF_IN_FIELD[name],
    })),
  );
  return [...plain, ...inFields];
}

/** The ranking with another number there. A field of weight 0 is left out, so that its words are not found at all. */
export function withNumber(ranking, [key, ...rest], value) {
  if (rest.length === 0) return { ...ranking, [key]: value };
  if (rest[0] === "weight" && value === 0) return without(ranking, key);
  return { ...ranking, [key]: withNumber(ranking[key], rest, value) };
}

function without(fields, name) {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
}

/** Whole parts of the ranking, each taken away. */
export const SWITCHES = [
  {
    name: "without lexicon",
    change: (ranking) => ({ ranking: { ...ranking, sameMeaning: NEARLY_NOTHING, concept: NEARLY_NOTHING } }),
  },
  { name: "without clauses", change: (ranking) => ({ ranking: { ...ranking, clause: 0, clauseMeaning: 0 } }) },
  {
    // The vectors of tools still hold their server.
    name: "without server",
    change: (ranking) => ({ ranking: { ...ranking, server: 0, fields: without(ranking.fields, "server") } }),
  },
  {
    name: "without close look",
    change: (ranking) => ({
      ranking: { ...ranking, closeWhole: 0, closePieces: 0, closeName: 0, closeServer: 0, closeCovered: 0 },
    }),
  },
  { name: "without meaning", change: (ranking) => ({ ranking, has: { meaning: false } }) },
  { name: "without words", change: (ranking) => ({ ranking: { ...ranking, meaning: VERY_MUCH, literal: 0 } }) },
];
