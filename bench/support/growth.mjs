/**
 * The growth exponent of a figure. `overall` is the slope of a least-squares fit in log-log coordinates over all points;
 * `last` is the slope of the last step, where fixed costs matter least. 0 means no growth, 1 means proportional growth.
 * @param {{ x: number, value: number }[]} points
 * @returns {{ overall: number, last: number } | undefined} undefined if fewer than two points are above zero
 */
export function growthOf(points) {
  const placed = points
    .filter(({ value }) => value > 0)
    .map(({ x, value }) => ({ x: Math.log(x), y: Math.log(value) }));
  return placed.length < 2 ? undefined : { overall: slopeOf(placed), last: slopeOf(placed.slice(-2)) };
}

function slopeOf(placed) {
  const mean = (pick) => placed.reduce((total, one) => total + pick(one), 0) / placed.length;
  const [x, y] = [mean((one) => one.x), mean((one) => one.y)];
  const covariance = mean((one) => (one.x - x) * (one.y - y));
  return covariance / mean((one) => (one.x - x) ** 2);
}

/** `n^0.97`, or words if there is no exponent. */
export function toPower(exponent) {
  const rounded = Math.abs(exponent) < 0.005 ? 0 : exponent;
  return `n^${rounded.toFixed(2)}`;
}
