/** @type {import("../rows.d.mts").Group} */
export const processes = {
  letter: "U",
  title: "Servers that are processes",
  rows: [],
  untried: {},
};
