/** @type {import("../rows.d.mts").Group} */
export const rules = {
  letter: "R",
  title: "Rules and patterns",
  rows: [],
  untried: {},
};
