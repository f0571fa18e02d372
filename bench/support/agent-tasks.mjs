// The tasks of the row `tasks`. The answer of each task is a value that only one result contains.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toGuide, toSentence } from "./large-documents.mjs";

const WANTED_INVOICE = "invoice-0917-norberg.txt";
const PARAGRAPHS = Array.from({ length: 100 }, (_, n) => toSentence(n, 60));

/**
 * @typedef {object} Task
 * @property {string} name
 * @property {string} question what the user asks
 * @property {string} search the query with which the agent finds the tool
 * @property {Step[]} steps
 *
 * @typedef {object} Step a call and what the agent must read of its result
 * @property {{ server: string, tool: string, arguments: object }} call
 * @property {string[]} answers
 * @property {object[]} [readings] requests to `anygpt:read_result` if the result is shortened. After them, the agent
 * follows the exact next call
 * @property {object[]} [retries] further arguments of the call if its result is truncated
 */

/** Writes the files that the tasks need. @returns {Task[]} */
export function createAgentTasks(folder) {
  const readFile = (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return { server: "filesystem", tool: "read_text_file", arguments: { path } };
  };
  return [
    {
      name: "find a rule in a manual of 250 sections",
      question: "Within how many days is a refund paid after a cancellation?",
      search: "read a text file",
      steps: [
        {
          call: readFile("manual.md", toManual()),
          answers: ["within 23 working days"],
          readings: [{ grep: "refund", ignore_case: true }],
        },
      ],
    },
    {
      name: "find the first failed request in a log of 2,000 lines",
      question: "Which request was the first one that failed with status 503?",
      search: "read a text file",
      steps: [
        {
          call: readFile("access.log", toLog()),
          answers: ["req-f41l3d"],
          readings: [{ grep: "status 503" }],
        },
      ],
    },
    {
      name: "look up a row in a table of 9,000 rows",
      question: "What is the amount of the order 18123?",
      search: "read a text file",
      steps: [
        {
          call: readFile("orders.csv", toOrders()),
          answers: ["18123,customer-523,7319.25"],
          readings: [{ grep: "18123" }],
          retries: [{ tail: 5000 }],
        },
      ],
    },
    {
      name: "look up one of 700 entities in a knowledge graph",
      question: "What is the phone number of Ada Lovelace?",
      search: "read the knowledge graph",
      steps: [
        {
          call: { server: "memory", tool: "read_graph", arguments: {} },
          answers: ["+44 20 7946 0815"],
          readings: [{ select: "entities[?name=='Ada Lovelace'].observations" }],
        },
      ],
    },
    {
      name: "find a file among 1,500 and read it",
      question: "What is the total of the invoice for Norberg?",
      search: "list the files of a folder",
      steps: [
        {
          call: { server: "filesystem", tool: "list_directory", arguments: { path: writeInvoices(folder) } },
          answers: [WANTED_INVOICE],
          readings: [{ grep: "norberg", ignore_case: true }],
        },
        {
          call: readFile(join("invoices", WANTED_INVOICE), "Invoice 0917\nTotal: 4711.20 EUR\n"),
          answers: ["Total: 4711.20 EUR"],
        },
      ],
    },
    {
      name: "read all of a document that is a little larger than the budget",
      question: "Translate every paragraph of the report.",
      search: "read a text file",
      steps: [{ call: readFile("report.md", toReport()), answers: PARAGRAPHS }],
    },
  ];
}

/** The file of the memory server. */
export function toKnowledgeGraph() {
  const entities = Array.from({ length: 700 }, (_, n) => ({
    type: "entity",
    name: n === 433 ? "Ada Lovelace" : `Person ${n}`,
    entityType: "person",
    observations: [
      n === 433 ? "Phone: +44 20 7946 0815" : `Phone: +44 20 7946 ${String(n).padStart(4, "0")}`,
      toSentence(n, 12),
    ],
  }));
  const relations = Array.from({ length: 200 }, (_, n) => ({
    type: "relation",
    from: `Person ${n}`,
    to: `Person ${n + 7}`,
    relationType: "knows",
  }));
  return [...entities, ...relations].map((one) => JSON.stringify(one)).join("\n");
}

function toManual() {
  const rule = "## Cancellation\n\nA refund is paid within 23 working days after a cancellation.\n\n";
  return toGuide(250).replace("## Section 161:", `${rule}## Section 161:`);
}

function toLog() {
  return Array.from({ length: 2000 }, (_, n) => {
    const time = new Date(Date.UTC(2024, 4, 1, 10) + n * 4230).toISOString();
    const [id, status] =
      n === 1207 ? ["req-f41l3d", 503] : [`req-${(n * 7919).toString(16)}`, n > 1207 && n % 300 === 0 ? 503 : 200];
    return `${time} GET /orders/${n * 3} ${id} status ${status} in ${(n * 13) % 97} ms`;
  }).join("\n");
}

function toOrders() {
  const rows = Array.from({ length: 9000 }, (_, n) => {
    const amount = n === 8123 ? "7319.25" : `${(n * 7) % 2000}.50`;
    return `${10_000 + n},customer-${n % 760},${amount},${["EUR", "USD"][n % 2]},${["open", "paid"][n % 3 === 0 ? 0 : 1]},2024-05-${String((n % 28) + 1).padStart(2, "0")}`;
  });
  return ["order,customer,amount,currency,state,date", ...rows].join("\n");
}

function writeInvoices(folder) {
  const invoices = join(folder, "invoices");
  mkdirSync(invoices);
  for (let n = 0; n < 1500; n += 1) {
    const number = String(n).padStart(4, "0");
    const customer = toSentence(n, 2).toLowerCase().replace(" ", "-").slice(0, -1);
    const name = n === 917 ? WANTED_INVOICE : `invoice-${number}-${customer}.txt`;
    writeFileSync(join(invoices, name), `Invoice ${number}\nTotal: ${n}.00 EUR\n`);
  }
  return invoices;
}

function toReport() {
  return `# Report\n\n${PARAGRAPHS.map((paragraph, n) => `## Part ${n}\n\n${paragraph}\n`).join("\n")}`;
}
