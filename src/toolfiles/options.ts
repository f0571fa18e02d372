import { z } from "zod";

const text = z
  .string()
  .min(1)
  .max(8_192)
  .refine((value) => !value.includes("\0"), "must not contain a NUL character");

/** The folder for tool files of a project, relative to the working folder. */
export const PROJECT_FOLDER = ".ai/tools/mcp";
/**
 * The folders from which tool files are read by default. If several have a file with the same id, the first signed
 * file is used, otherwise the first file.
 */
export const DEFAULT_FOLDERS: readonly string[] = [PROJECT_FOLDER, `~/${PROJECT_FOLDER}`];

const agents = z
  .strictObject({
    discover: z
      .boolean()
      .default(true)
      .describe(
        "Whether agents may query remote servers for their tools. Writing files still needs the user's approval.",
      ),
    hosts: z
      .array(text)
      .max(1_000)
      .default([])
      .describe(
        "The hosts to which agents may send requests over https without a question: names, with `*` for any characters and `?` for one. A user has to confirm each call to any other host, in every confirmation mode. Default: none.",
      ),
    variables: z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"))
      .max(1_000)
      .default([])
      .describe(
        "The environment variables of which agents may learn whether they are set, by exact name. Default: none.",
      ),
  })
  .describe("What agents may do with tool files. They can never start a command.");

export const toolFilesOptions = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Whether the gateway reads tool files."),
    folders: z
      .array(text)
      .max(100)
      .optional()
      .describe(
        "Folders of tool files; if two have a file with the same id, the earlier folder wins. `~` is the home folder; other paths are relative to the configuration file. If omitted, `.ai/tools/mcp` in the working folder and in the home folder.",
      ),
    signatures: z
      .enum(["required", "hash"])
      .default("required")
      .describe(
        "`required` accepts files signed by a trusted key; `hash` also accepts files with only a hash line, which shows that a file is intact but not who wrote it. A file that starts a program must always be signed.",
      ),
    agents: agents.prefault({}),
  })
  .describe("Signed files that describe the tools of servers, as `anygpt mcp discover` writes them.");

export type ToolFilesOptions = z.output<typeof toolFilesOptions>;
