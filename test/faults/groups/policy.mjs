/** @type {import("../rows.d.mts").Group} */
export const policy = {
  letter: "O",
  title: "Policy, confirmation, limits",
  rows: [
    {
      name: "rate-bucket",
      ids: ["O9"],
      about: "a bucket of 100 that four gateways take from at once",
      full: { count: 1000, seconds: 10 },
      quick: { count: 200, seconds: 8 },
      run: (module) => module.rateBucket,
    },
    {
      name: "self-approval",
      ids: ["O7"],
      about: "callers that confirm their own calls",
      full: { count: 500, seconds: 15 },
      quick: { count: 300, seconds: 10 },
      run: (module) => module.selfApproval,
    },
  ],
  untried: {},
};
