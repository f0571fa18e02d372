import { z } from "zod";

/** Of servers and tools, as paths and queries take them. */
export const adapter = z.string().min(1).max(512).describe("Name of an adapter: an API or an MCP server.");
export const tool = z.string().min(1).max(512).describe("Name of one of its tools.");
