import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SearchDocument } from "./fields.js";
import { createIndexer, type DocumentGroup } from "./indexer.js";
import { createSearchIndex } from "./search-index.js";

function tool(server: string, name: string, description: string): SearchDocument {
  return { id: `${server}:${name}`, server, name, description, parameters: [], tags: [] };
}

function group(documents: readonly SearchDocument[], read: () => void = () => {}): DocumentGroup {
  return {
    key: documents,
    documents: () => {
      read();
      return documents;
    },
  };
}

const comparePieces = () => () => ({ answered: 0, name: 0, server: 0 });

const QUERIES = ["read a file", "send mail", "delete the branch", "weather", "reed fiel"];

describe("createIndexer", () => {
  it("reads a group once while it does not change", async () => {
    const reads: string[] = [];
    const files = group([tool("fs", "read_file", "Read a file.")], () => reads.push("fs"));
    const mail = group([tool("mail", "send", "Send mail.")], () => reads.push("mail"));
    const other = group([tool("mail", "send", "Send a letter.")], () => reads.push("mail again"));
    const indexer = createIndexer();
    await indexer.index([files]);
    await indexer.index([files, mail]);
    const index = await indexer.index([files, other]);
    // One further read at the end: the replacement is compared with the old group.
    expect(reads).toEqual(["fs", "mail", "mail again", "mail"]);
    expect(index.size).toBe(2);
    expect(index.search("letter", { limit: 5 }).hits.map(({ id }) => id)).toEqual(["mail:send"]);
  });

  it("recognizes a group of other objects with the same content", async () => {
    const read: string[] = [];
    const vector = { values: new Int8Array(4), scale: 1, pieces: new Uint16Array() };
    const readTool = ({ description }: SearchDocument) => {
      read.push(description);
      return vector;
    };
    const indexer = createIndexer({ meaning: { dims: 4, readQuery: () => vector, readTool, comparePieces } });
    const copy = (description: string): DocumentGroup => group([tool("fs", "read_file", description)]);
    await indexer.index([copy("Read a file."), group([tool("mail", "send", "Send mail.")])]);
    await indexer.index([copy("Read a file.")]);
    const index = await indexer.index([copy("Read a text."), copy("Read a file.")]);
    expect(read).toEqual(["Read a file.", "Send mail.", "Read a text."]);
    expect(index.size).toBe(2);
  });

  it("recognizes a group with very many words", async () => {
    const words = (from: number): string => Array.from({ length: 1000 }, (_, at) => `word${from + at}`).join(" ");
    const copy = (): DocumentGroup => group(Array.from({ length: 450 }, (_, at) => tool("many", `t${at}`, words(at))));
    let read = 0;
    const vector = { values: new Int8Array(4), scale: 1, pieces: new Uint16Array() };
    const readTool = () => {
      read += 1;
      return vector;
    };
    const indexer = createIndexer({ meaning: { dims: 4, readQuery: () => vector, readTool, comparePieces } });
    await indexer.index([copy()]);
    await indexer.index([copy()]);
    await indexer.index([copy()]);
    expect(read).toBe(450);
  });

  it("answers like a newly built index after any sequence of changes", async () => {
    const word = fc.constantFrom("read", "file", "send", "mail", "delete", "branch", "weather", "list", "the", "city");
    const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
    const server = fc.array(fc.tuple(text, text), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(3), server), { minLength: 1, maxLength: 8 }), async (changes) => {
        const indexer = createIndexer();
        const current = new Map<number, DocumentGroup>();
        for (const [number, tools] of changes) {
          const documents = tools.map(([name, description], at) => tool(`s${number}`, `${name}_${at}`, description));
          current.set(number, group(documents));
          const groups = [...current.values()];
          const kept = await indexer.index(groups);
          const fresh = createSearchIndex(groups.flatMap(({ documents: read }) => read()));
          for (const query of QUERIES) {
            expect(kept.search(query, { limit: 10 })).toEqual(fresh.search(query, { limit: 10 }));
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it("yields to the event loop while it reads many documents", async () => {
    const groups = Array.from({ length: 30 }, (_, server) =>
      group(Array.from({ length: 50 }, (__, at) => tool(`s${server}`, `tool_${at}`, `Does thing ${at}.`))),
    );
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await createIndexer().index(groups);
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});
