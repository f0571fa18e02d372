import { z } from "zod";

const text = z
  .string()
  .min(1)
  .max(8_192)
  .refine((value) => !value.includes("\0"), "must not hold a NUL character");

/** Below the working folder. */
export const PROJECT_FOLDER = ".ai/tools/mcp";
/** What the first has of an id wins. */
export const DEFAULT_FOLDERS: readonly string[] = [PROJECT_FOLDER, `~/${PROJECT_FOLDER}`];

const agents = z
  .strictObject({
    discover: z
      .boolean()
      .default(true)
      .describe("Whether agents may ask remote servers for their tools. Writing files still needs a person's answer."),
    hosts: z
      .array(text)
      .max(1_000)
      .default(["*"])
      .describe("The hosts that agents may ask, by https: names, with `*` for any characters and `?` for one."),
  })
  .describe("What agents may do with tool files. They can never start a command.");

export const toolFilesOptions = z
  .strictObject({
    enabled: z.boolean().default(true).describe("`false` reads no tool files."),
    folders: z
      .array(text)
      .max(100)
      .optional()
      .describe(
        "Folders of tool files; what an earlier one has of an id wins. `~` is the home folder; else relative to the configuration file. When left out, `.ai/tools/mcp` in the working folder and in the home folder.",
      ),
    signatures: z
      .enum(["required", "hash"])
      .default("required")
      .describe(
        "`required` accepts files signed by a trusted key; `hash` also those with only a hash line, which shows that a file is intact and not who wrote it. What starts a program must be signed in any case.",
      ),
    agents: agents.prefault({}),
  })
  .describe("Signed files that describe the tools of servers, as `anygpt mcp discover` writes them.");

export type ToolFilesOptions = z.output<typeof toolFilesOptions>;
