// The options of a call that decide how much of its result the model gets. Both profiles have them.
import { z } from "zod";
import { resultTokens } from "../executor/options.js";

export const resultChoices = {
  select: z.string().min(1).optional().describe("JMESPath: return only this part of the result"),
  // The published schema is short to save tokens. A caller with an invalid budget gets the limits in the error.
  max_tokens: resultTokens
    .optional()
    .meta({ minimum: undefined, maximum: undefined, description: "Longest result, default 6000" }),
};
