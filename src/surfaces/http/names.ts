import { z } from "zod";

/** Schemas for the names of servers and tools in paths and queries. */
export const adapterName = z.string().min(1).max(512).describe("Name of an adapter: an API or an MCP server.");
export const tool = z.string().min(1).max(512).describe("Name of a tool of the adapter.");
