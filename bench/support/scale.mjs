/** A logarithmic axis with ticks that maps all values above zero to `[from, to]` in the drawing. */
export function createScale(values, [from, to]) {
  const placed = values.filter((value) => value > 0);
  const [least, most] = widen(Math.min(...placed), Math.max(...placed));
  const span = Math.log(most) - Math.log(least);
  return {
    ticks: ticksBetween(least, most),
    at: (value) => Math.round((from + ((Math.log(value) - Math.log(least)) / span) * (to - from)) * 10) / 10,
  };
}

/** Adds a margin, so that no point is on the frame and a single value has a range. */
function widen(least, most) {
  const room = Math.max((most / least) ** 0.04, 1.15);
  return [least / room, most * room];
}

/** Powers of ten, with intermediate steps if there are only a few. */
function ticksBetween(least, most) {
  const decades = Math.log10(most / least);
  const steps = decades > 2.5 ? [1] : decades > 1.2 ? [1, 3] : [1, 2, 5];
  const powers = Array.from({ length: 40 }, (_, index) => index - 12);
  const ticks = powers.flatMap((power) => steps.map((step) => Number(`${step}e${power}`)));
  const inside = ticks.filter((tick) => tick >= least && tick <= most);
  return inside.length >= 2 ? inside : [least, most].map((value) => Number(value.toPrecision(2)));
}

/** A short number for an axis label. */
export function toTick(value) {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return `${Number(value.toPrecision(3))}`;
}
