/** @type {import("../rows.d.mts").Group} */
export const schemas = {
  letter: "V",
  title: "Schemas",
  rows: [],
  untried: {},
};
