/** @type {import("../rows.d.mts").Group} */
export const load = {
  letter: "L",
  title: "Load and endurance",
  rows: [],
  untried: {},
};
