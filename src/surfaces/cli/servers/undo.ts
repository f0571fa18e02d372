import { ERRORS } from "../../../errors.js";
import { placeFor } from "../../../open-engine.js";
import { listUndoSteps, type UndoStep, undoLast } from "../../../operations/servers/undo.js";
import { shortenHome } from "../../../util/home-path.js";
import { ask, canInterrupt } from "../ask.js";
import type { Handler } from "../command.js";
import { undoneLines } from "../import/page-lines.js";
import { bold, count, dim, line, type Line } from "../lines.js";
import { optionsOf } from "../trust-files.js";

export const undo: Handler = async (input, context) => {
  const place = placeFor(optionsOf(context));
  const steps = await listUndoSteps(place);
  const [last] = steps;
  if (input.flag("list")) {
    if (context.isJson) context.json({ steps });
    else context.show(steps.length === 0 ? [NOTHING] : steps.map((step) => stepLine(step, place.home)));
    return 0;
  }
  if (last !== undefined && !input.flag("yes") && canInterrupt(context)) {
    context.show([line(0, "To be undone:"), stepLine(last, place.home)]);
    if ((await ask("Undo it?", context)) !== "yes") return 1;
  }
  const report = await undoLast(place, { isForced: input.flag("force") });
  const isRefused = report.undone.some(({ status }) => status === "refused");
  if (context.isJson) context.json({ success: !isRefused, ...report });
  else if (report.step === undefined) context.show([NOTHING]);
  else {
    context.show([
      line(0, "Undone: ", bold(report.step.action)),
      ...undoneLines(report.undone, false, place.home, `\`${report.step.action}\``),
    ]);
    context.show([line(0, dim(`${count(report.left, "earlier step")} can be undone.`))]);
  }
  return isRefused ? ERRORS.CONFIGURATION_ERROR.exit : 0;
};

const NOTHING = line(0, "There is nothing to undo.");

function stepLine({ action, at, files }: UndoStep, home: string): Line {
  const [day, time = ""] = at.split("T");
  const when = `${day} ${time.split("-").slice(0, 2).join(":")}`;
  return line(2, bold(action), dim(`  ${when}  ${files.map((file) => shortenHome(file, home)).join(", ")}`));
}
