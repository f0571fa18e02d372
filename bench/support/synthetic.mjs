// Synthetic tools and queries from word lists, the same in every run, for machines without a data folder.
const VERBS =
  "list get create update delete search send export import archive merge approve assign schedule cancel sync validate convert upload download".split(
    " ",
  );
const NOUNS =
  "issue invoice customer message file folder calendar event payment order shipment ticket branch commit build deployment metric alert report dashboard user role token webhook database table row query image video playlist contact lead campaign survey form document page comment task project board sprint release secret bucket queue topic".split(
    " ",
  );
const SERVICES =
  "github jira slack stripe notion linear figma sentry datadog postgres redis kafka shopify hubspot zendesk trello gitlab vercel cloudflare airtable twilio sendgrid mailchimp intercom grafana elastic snowflake asana dropbox salesforce".split(
    " ",
  );
const ADJECTIVES = "open overdue recent archived shared private failed pending active duplicate large scheduled".split(
  " ",
);
const PARAMETERS = [
  ["id", { type: "string", description: "The identifier, as returned by the matching list tool." }],
  ["limit", { type: "integer", minimum: 1, maximum: 100, description: "How many to return at most. Default 20." }],
  ["cursor", { type: "string", description: "Where to go on, from the answer before." }],
  ["state", { type: "string", enum: ["open", "closed", "all"], description: "Only those in this state." }],
  ["since", { type: "string", format: "date-time", description: "Only what changed after this moment." }],
  ["title", { type: "string", description: "A short text that people recognise it by." }],
  ["labels", { type: "array", items: { type: "string" }, description: "Labels that all of them carry." }],
  ["dry_run", { type: "boolean", description: "Say what would happen and change nothing." }],
];
const TOOLS_PER_SERVER = 10;

/** A linear congruential generator: the same pseudo-random numbers in every run. */
function createPicker(seed) {
  let state = seed;
  return (list) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return list[(state >>> 8) % list.length];
  };
}

export function syntheticTools(count) {
  const pick = createPicker(1);
  return Array.from({ length: count }, (_, number) => {
    const server = Math.floor(number / TOOLS_PER_SERVER);
    const service = SERVICES[server % SERVICES.length];
    return syntheticTool(`${service}-${server}`, { service, number, pick });
  });
}

function syntheticTool(server, { service, number, pick }) {
  const [verb, noun, adjective] = [pick(VERBS), pick(NOUNS), pick(ADJECTIVES)];
  const parameters = [...new Set(Array.from({ length: 5 }, () => pick(PARAMETERS)))];
  return {
    server,
    name: `${verb}_${adjective}_${noun}_${number % TOOLS_PER_SERVER}`,
    description: `${verb} ${adjective} ${noun}s in ${service}. Use this when a person asks about the ${pick(NOUNS)} of a ${noun}, or wants to ${pick(VERBS)} it. Returns the ${noun} with its ${pick(NOUNS)}s and ${pick(NOUNS)}s.`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(parameters),
      required: parameters.slice(0, 1).map(([name]) => name),
    },
  };
}

export function syntheticQueries(count) {
  const pick = createPicker(2);
  const shapes = [
    () => `${pick(VERBS)} ${pick(NOUNS)}`,
    () => `how do I ${pick(VERBS)} the ${pick(ADJECTIVES)} ${pick(NOUNS)} of a ${pick(NOUNS)} in ${pick(SERVICES)}?`,
    () => `${pick(NOUNS).slice(0, -1)} ${pick(VERBS)}`,
    () => `I want to ${pick(VERBS)} ${pick(ADJECTIVES)} ${pick(NOUNS)}s and then ${pick(VERBS)} a ${pick(NOUNS)}`,
  ];
  return Array.from({ length: count }, (_, number) => shapes[number % shapes.length]());
}
