/** @type {import("../rows.d.mts").Group} */
export const configuration = {
  letter: "C",
  title: "Configuration",
  rows: [],
  untried: {},
};
