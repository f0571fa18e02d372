/** @type {import("../rows.d.mts").Group} */
export const reload = {
  letter: "W",
  title: "Reload",
  rows: [],
  untried: {},
};
