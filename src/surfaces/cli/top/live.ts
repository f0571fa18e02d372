import { setTimeout } from "node:timers/promises";
import { toDiscoveryError } from "../../../errors.js";
import type { CliIo } from "../io.js";
import { render } from "../render.js";
import { toPage } from "./page.js";
import type { Reading, Source } from "./reading.js";
import { openScreen } from "./screen.js";

export interface LiveParts {
  readonly source: Source;
  readonly io: CliIo;
  readonly intervalMs: number;
  readonly color: boolean;
  readonly first: Reading;
}

/** Shows one reading after the other until the person leaves. What fails meanwhile is told above the last one. */
export async function showLive({ source, io, intervalMs, color, first }: LiveParts): Promise<void> {
  const screen = openScreen(io);
  const over = AbortSignal.any([io.signal, screen.left]);
  let reading = first;
  let problem: string | undefined;
  const draw = (): void => {
    screen.draw(render(toPage(reading, screen.window(), problem), { columns: Infinity, color }));
  };
  screen.onResize(draw);
  try {
    while (!over.aborted) {
      draw();
      await setTimeout(intervalMs, undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) return;
      try {
        reading = await source.read(over);
        problem = undefined;
      } catch (error) {
        problem = toDiscoveryError(error).message;
      }
    }
  } finally {
    screen.close();
  }
}
