import { ERRORS } from "../../../errors.js";
import { listUndoSteps, type UndoStep, undoLast } from "../../../operations/servers/undo.js";
import { shortenHome } from "../../../util/home-path.js";
import { homeOf } from "../../../util/state-folder.js";
import { canInterrupt, isConfirmed } from "../../../terminal/questions.js";
import type { Handler } from "../command.js";
import { undoneLines } from "../import/import-lines.js";
import { bold, count, dim, line, type Line } from "../../../terminal/lines.js";
import { engineOptions } from "../trust-files.js";

export const undo: Handler = async (input, context) => {
  const options = engineOptions(context);
  const home = homeOf(context.io.env);
  const steps = await listUndoSteps(options);
  const [last] = steps;
  if (input.flag("list")) {
    context.reply({ steps }, () => (steps.length === 0 ? [NOTHING] : steps.map((step) => stepLine(step, home))));
    return 0;
  }
  if (last !== undefined && !input.flag("yes") && canInterrupt(context)) {
    context.show(["The last change:", stepLine(last, home)]);
    if (!(await isConfirmed("Undo this change?", context))) return 1;
  }
  const report = await undoLast(options, { force: input.flag("force") });
  const { step, undone, left } = report;
  const isRefused = undone.some(({ status }) => status === "refused");
  context.reply({ success: !isRefused, ...report }, () => {
    if (step === undefined) return [NOTHING];
    return [
      line(0, "Undone: ", bold(step.action)),
      ...undoneLines(undone, false, home, `\`${step.action}\``),
      line(0, dim(`${count(left, "earlier change")} can be undone.`)),
    ];
  });
  return isRefused ? ERRORS.CONFIGURATION_ERROR.exit : 0;
};

const NOTHING = "There is nothing to undo.";

function stepLine({ action, at, files }: UndoStep, home: string): Line {
  const [day, time = ""] = at.split("T");
  const when = `${day} ${time.split("-").slice(0, 2).join(":")}`;
  return line(2, bold(action), dim(`  ${when}  ${files.map((file) => shortenHome(file, home)).join(", ")}`));
}
