/** @type {import("../rows.d.mts").Group} */
export const secrets = {
  letter: "S",
  title: "Secrets",
  rows: [
    {
      name: "canaries",
      ids: ["S1"],
      about: "secrets in every place, and a look at every byte that is written",
      full: { count: 60, seconds: 180 },
      quick: { count: 6, seconds: 20 },
      run: (module) => module.canaries,
    },
  ],
  untried: {},
};
