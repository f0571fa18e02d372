/** @type {import("../rows.d.mts").Group} */
export const protocol = {
  letter: "P",
  title: "Protocol input",
  rows: [
    {
      name: "same-ids",
      ids: ["P5"],
      about: "200 clients of both eras that all use the id 1 over HTTP",
      full: { count: 100_000, seconds: 300 },
      quick: { count: 2000, seconds: 20 },
      run: (module) => module.sameIds,
    },
  ],
  untried: {},
};
