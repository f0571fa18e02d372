/** A share that is too small to change the order. With 0, a matched word would count as not found. */
const NEARLY_NOTHING = 1e-9;
const VERY_MUCH = 1e9;

/** The value at which each constant has no effect. Constants that are not listed have no such value. */
const OFF = {
  // With this value, any occurrence counts in full.
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
  // With this value, the words of a long query get the full gain at once.
  fullGainBeyond: NEARLY_NOTHING,
  longGain: 0,
  closeWhole: 0,
  closePieces: 0,
  closeName: 0,
  closeServer: 0,
  closeCovered: 0,
};
const OFF_IN_FIELD = { weight: 0, lengthNorm: 0 };

/** Every constant of the ranking, with its path in the object. */
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

/** The ranking with another value for one constant. A field of weight 0 is removed, so that its words are not found at all. */
export function withNumber(ranking, [key, ...rest], value) {
  if (rest.length === 0) return { ...ranking, [key]: value };
  if (rest[0] === "weight" && value === 0) return without(ranking, key);
  return { ...ranking, [key]: withNumber(ranking[key], rest, value) };
}

function without(fields, name) {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
}

/** Variants that remove a whole part of the ranking. */
export const SWITCHES = [
  {
    name: "without lexicon",
    change: (ranking) => ({ ranking: { ...ranking, sameMeaning: NEARLY_NOTHING, concept: NEARLY_NOTHING } }),
  },
  { name: "without clauses", change: (ranking) => ({ ranking: { ...ranking, clause: 0, clauseMeaning: 0 } }) },
  {
    // The vectors of tools still include the server name.
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
