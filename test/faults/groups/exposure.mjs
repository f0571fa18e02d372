/** @type {import("../rows.d.mts").Group} */
export const exposure = {
  letter: "X",
  title: "The HTTP surface",
  rows: [],
  untried: {},
};
