import { join } from "node:path";

/**
 * The tasks of the row `profiles`. Each is run through both profiles with the same requests, tools and arguments.
 * `agent` makes the calls: `find` searches until the parameters of the tool are known.
 */
export const profileTasks = [
  {
    name: "find, read details and execute",
    async run(agent, files) {
      await agent.find("read the content of a text file", "filesystem:read_text_file");
      await agent.execute("filesystem:read_text_file", { path: join(files, "notes.txt") });
    },
  },
  {
    name: "find a tool with nested parameters and execute it",
    async run(agent) {
      await agent.find("add entities to the knowledge graph", "memory:create_entities");
      await agent.execute("memory:create_entities", {
        entities: [{ name: "Ada", entityType: "person", observations: ["Likes milk."] }],
      });
    },
  },
  {
    name: "find one of several similar tools and execute it",
    async run(agent, files) {
      await agent.find("files and folders", "filesystem:list_directory");
      await agent.execute("filesystem:list_directory", { path: files });
    },
  },
  {
    name: "read the details of a known tool and execute it",
    async run(agent) {
      await agent.details("everything:get-sum");
      await agent.execute("everything:get-sum", { a: 2, b: 3 });
    },
  },
  {
    name: "the tool fails",
    async run(agent, files) {
      await agent.find("read the content of a text file", "filesystem:read_text_file");
      await agent.execute("filesystem:read_text_file", { path: join(files, "missing.txt") });
    },
  },
  {
    name: "wrong arguments, then correct ones",
    async run(agent) {
      await agent.execute("everything:get-sum", { a: "two" });
      await agent.execute("everything:get-sum", { a: 2, b: 3 });
    },
  },
  {
    name: "the tool does not exist",
    async run(agent) {
      await agent.execute("filesystem:read_txt_file", { path: "notes.txt" });
    },
  },
  {
    name: "no tool fits",
    async run(agent) {
      await agent.search("book a flight to Lagos");
    },
  },
  {
    name: "list the servers, then the tools of one",
    async run(agent) {
      await agent.servers();
      await agent.tools("memory");
    },
  },
  {
    name: "a disabled tool",
    async run(agent, files) {
      await agent.execute("filesystem:edit_file", { path: join(files, "notes.txt"), edits: [] });
    },
  },
  {
    name: "a call that needs a confirmation",
    async run(agent) {
      await agent.find("delete entities from the knowledge graph", "memory:delete_entities");
      await agent.execute("memory:delete_entities", { entityNames: ["Ada"] });
      await agent.execute("memory:delete_entities", { entityNames: ["Ada"] }, { confirmed: true });
    },
  },
  {
    name: "read a file in two pages",
    async run(agent, files) {
      await agent.find("read the first lines of a text file", "filesystem:read_text_file");
      await agent.execute("filesystem:read_text_file", { path: join(files, "long.txt"), head: 20 });
      await agent.execute("filesystem:read_text_file", { path: join(files, "long.txt"), tail: 20 });
    },
  },
];
