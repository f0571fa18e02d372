import { evaluateSearch } from "../../../operations/evaluation/evaluate-search.js";
import { readEvalSet } from "../../../operations/evaluation/evaluation-files.js";
import { evalReportLines, unknownToolLines } from "../eval-lines.js";
import { engineCommand } from "../session.js";

export const evaluate = engineCommand(async (engine, input, context) => {
  const { io, warn } = context;
  const [tools = "", queries = ""] = [input.text("catalog"), input.text("queries")];
  const set = await readEvalSet({ name: queries, tools, queries, unanswerable: input.text("unanswerable") }, io.cwd);
  const semantic = (await engine.stages()).config.search.semantic && !input.flag("words");
  let progress = "";
  const onProgress = (done: number, total: number): void => {
    progress = `: ${done} of ${total} searches`;
  };
  const work = evaluateSearch(set, { semantic, signal: io.signal, onProgress, warn });
  const evaluation = await context.wait(work, () => `${queries}${progress}`);
  context.reply({ ...evaluation.report, misses: evaluation.misses }, () => evalReportLines(evaluation));
  if (!context.isJson) context.note(unknownToolLines(evaluation.unknown));
});
