/** @type {import("../rows.d.mts").Group} */
export const remote = {
  letter: "H",
  title: "Servers over HTTP",
  rows: [],
  untried: {},
};
