/** Runs out after a span without a sign of life, unless nobody is to blame for the silence. */
export interface SilenceClock {
  restart(): void;
  /** Stops it until every such stop was taken back by what this gives. */
  pause(): () => void;
  stop(): void;
}

export function startSilenceClock(limitMs: number, onSilence: () => void): SilenceClock {
  let timer: NodeJS.Timeout | undefined = setTimeout(onSilence, limitMs);
  let pauses = 0;
  let isStopped = false;

  function goOn(): void {
    pauses -= 1;
    if (pauses === 0 && !isStopped) timer = setTimeout(onSilence, limitMs);
  }

  return {
    restart: () => void timer?.refresh(),
    pause() {
      pauses += 1;
      clearTimeout(timer);
      timer = undefined;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        goOn();
      };
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
